/** Commands to test the syslog listener. */
import type { Settings } from '../../api/control'

const EVERYWHERE = new Set(['0.0.0.0', '::', '*'])

/** A `logger` command that sends one message; `here` is the host name in the browser's address. */
export function writeTestLine(settings: Settings['syslog'], here: string, transport: 'tcp' | 'udp'): string {
  const host = EVERYWHERE.has(settings.host) ? here : settings.host
  const how = transport === 'tcp' ? `-P ${settings.tcp_port} -T --octet-count` : `-P ${settings.udp_port} -d`
  return `logger -n ${host} ${how} -t test -p local0.info 'hello from logger'`
}
