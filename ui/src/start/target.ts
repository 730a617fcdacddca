/** The target of the snippets, and how it is inserted into them. */
import type { Settings } from '../api/control'

export interface Target {
  /** Scheme, host and port, without a slash at the end. */
  origin: string
  index: string
  /** The word TOKEN if there is no token yet. */
  token: string
  syslog: Pick<Settings['syslog'], 'tcp_port' | 'udp_port'>
}

export const NO_TOKEN = 'TOKEN'
export const DEFAULT_INDEX = 'app'
const LONGEST_INDEX = 64
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' }

/** The values of the placeholders in snippets, such as `%TOKEN%`. */
export function listPlaceholders({ origin, index, token, syslog }: Target): Record<string, string> {
  const { protocol, hostname, port } = new URL(origin)
  const isSecure = protocol === 'https:'
  return {
    ORIGIN: origin,
    SCHEME: protocol.slice(0, -1),
    HOST: hostname,
    PORT: port || (DEFAULT_PORTS[protocol] ?? ''),
    TLS: isSecure ? 'on' : 'off',
    INDEX: index,
    TOKEN: token,
    TCP_PORT: String(syslog.tcp_port),
    UDP_PORT: String(syslog.udp_port),
  }
}

export function fill(text: string, target: Target): string {
  const known = listPlaceholders(target)
  return text.replace(/%([A-Z_]+)%/g, (whole, name: string) => known[name] ?? whole)
}

/** An index name as the server normalises it, which is safe in a shell, a URL or any text. */
export function cleanIndex(text: string): string {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '-')
    .replace(/^_+/, '')
  return name.slice(0, LONGEST_INDEX) || DEFAULT_INDEX
}

export type Need = 'native' | 'compat' | 'protobuf' | 'syslog'

interface Obstacle {
  text: string
  /** The page with the setting. */
  path: string
}

const OBSTACLES: Record<Need, Obstacle & { isMet: (settings: Settings) => boolean }> = {
  native: {
    text: 'The native endpoints are switched off.',
    path: '/admin/ingestion/tokens',
    isMet: ({ ingest }) => ingest.native_enabled,
  },
  compat: {
    text: 'The endpoints of other protocols are switched off.',
    path: '/admin/ingestion/tokens',
    isMet: ({ ingest }) => ingest.compat_enabled,
  },
  protobuf: {
    text: 'This shipper sends protobuf, which is disabled.',
    path: '/admin/general',
    isMet: ({ ingest }) => ingest.compat_enabled && ingest.push_protobuf,
  },
  syslog: {
    text: 'The syslog listener is off.',
    path: '/admin/ingestion/syslog',
    isMet: ({ syslog, syslog_status }) => syslog.enabled && syslog_status.state === 'listening',
  },
}

/** Why the service would not accept the events; null if it would, or if the settings are not known. */
export function findObstacle(need: Need, settings: Settings | null): Obstacle | null {
  const obstacle = OBSTACLES[need]
  return !settings || obstacle.isMet(settings) ? null : obstacle
}
