import { expect, it } from 'vitest'
import type { Settings } from '../../api/control'
import { writeTestLine } from './senders'

const settings = { host: '10.0.0.1', udp_port: 514, tcp_port: 601 } as Settings['syslog']

it('sends to where the listener is, by the port of the transport', () => {
  expect(writeTestLine(settings, 'logs.example', 'udp')).toMatch(/^logger -n 10\.0\.0\.1 -P 514 -d /)
  expect(writeTestLine(settings, 'logs.example', 'tcp')).toMatch(/^logger -n 10\.0\.0\.1 -P 601 -T /)
})

it('names the service as the browser does where it listens everywhere', () => {
  expect(writeTestLine({ ...settings, host: '::' }, 'logs.example', 'udp')).toContain('-n logs.example ')
})
