import { expect, test } from 'vitest'
import type { Settings } from '../api/control'
import { findShipper, SHIPPERS } from './snippets'
import { cleanIndex, fill, findObstacle, listPlaceholders, type Target } from './target'

const TARGET: Target = {
  origin: 'http://logs.example:7300',
  index: 'web-1',
  token: 'lbt_secret',
  syslog: { tcp_port: 6514, udp_port: 5515 },
}
const SNIPPETS = SHIPPERS.flatMap((shipper) =>
  shipper.snippets.map((snippet) => ({ name: `${shipper.label}: ${snippet.title}`, ...snippet })),
)
const KNOWN = Object.keys(listPlaceholders(TARGET))

test.each(SNIPPETS)('$name has placeholders that are known, and is filled', ({ text }) => {
  const used = [...text.matchAll(/%([A-Z_]+)%/g)].map(([, name]) => name)
  expect(used.length).toBeGreaterThan(0)
  expect(KNOWN).toEqual(expect.arrayContaining(used))
  const filled = fill(text, TARGET)
  expect(filled).not.toMatch(/%[A-Z_]+%|undefined/)
  expect(filled).toContain('logs.example')
})

test.each(SNIPPETS.filter(({ needs }) => needs !== 'syslog'))(
  '$name has the token and the index',
  ({ text }) => {
    const filled = fill(text, TARGET)
    expect(filled).toContain('lbt_secret')
    expect(filled).toContain('web-1')
    expect(filled).toContain('7300')
  },
)

test.each(SNIPPETS.filter(({ needs }) => needs === 'syslog'))(
  '$name has the port of the listener',
  ({ text }) => {
    expect(fill(text, TARGET)).toContain('6514')
  },
)

test('a service behind TLS is spoken to by TLS, on its usual port', () => {
  const target = { ...TARGET, origin: 'https://logs.example' }
  expect(fill('%SCHEME% %HOST% %PORT% %TLS% %ORIGIN%', target)).toBe(
    'https logs.example 443 on https://logs.example',
  )
  expect(fill('%TLS% %PORT%', { ...TARGET, origin: 'http://logs.example' })).toBe('off 80')
})

test('shippers have names of their own, and an unknown one is the first', () => {
  expect(new Set(SHIPPERS.map(({ name }) => name)).size).toBe(SHIPPERS.length)
  expect(findShipper('vector').label).toBe('Vector')
  expect(findShipper('pigeon')).toBe(SHIPPERS[0])
})

test.each([
  ['app', 'app'],
  [' Web.Shop ', 'web-shop'],
  ["x'; rm -rf /", 'x---rm--rf--'],
  ['_self', 'self'],
  ['', 'app'],
  ['a'.repeat(80), 'a'.repeat(64)],
])('the index %j is written as %j', (typed, index) => {
  expect(cleanIndex(typed)).toBe(index)
})

test('what is switched off stands in the way of what needs it alone', () => {
  const settings = {
    ingest: { native_enabled: true, compat_enabled: true, push_protobuf: false },
    syslog: { enabled: true },
    syslog_status: { state: 'failed' },
  } as Settings
  const found = (['native', 'compat', 'protobuf', 'syslog'] as const).filter((need) =>
    findObstacle(need, settings),
  )
  expect(found).toEqual(['protobuf', 'syslog'])
  expect(findObstacle('protobuf', null)).toBeNull()
})
