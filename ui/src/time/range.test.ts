import { expect, test } from 'vitest'
import { resolve, resolveEnd } from './range'

const NOW = Date.parse('2026-11-15T13:04:05Z')

function end(text: string, zone = 'UTC', now = NOW): string | null {
  const moment = resolveEnd(text, now, zone)
  return moment === null ? null : new Date(moment).toISOString().replace('.000Z', 'Z')
}

test.each([
  ['now', '2026-11-15T13:04:05Z'],
  ['-15m', '2026-11-15T12:49:05Z'],
  ['now-1h/h', '2026-11-15T12:00:00Z'],
  ['/d', '2026-11-15T00:00:00Z'],
  ['now/w', '2026-11-09T00:00:00Z'],
  ['now/y', '2026-01-01T00:00:00Z'],
  ['-1mon/mon', '2026-10-01T00:00:00Z'],
  ['2026-11-14T10:00:00+01:00', '2026-11-14T09:00:00Z'],
])('%j means %s', (text, moment) => {
  expect(end(text)).toBe(moment)
})

test.each(['', 'foo 1', '1', '2026', 'tomorrow', '-1parsec'])('%j means no moment', (text) => {
  expect(end(text)).toBeNull()
})

test('a month before the 31st is the last day of a shorter month', () => {
  expect(end('-1mon', 'UTC', Date.parse('2026-03-31T10:00:00Z'))).toBe('2026-02-28T10:00:00Z')
  expect(end('-1y', 'UTC', Date.parse('2028-02-29T10:00:00Z'))).toBe('2027-02-28T10:00:00Z')
})

test('days are those of the zone, also when they have 23 or 25 hours', () => {
  const spring = Date.parse('2026-03-29T12:00:00Z')
  expect(end('now/d', 'Europe/Berlin', spring)).toBe('2026-03-28T23:00:00Z')
  expect(end('now-1d', 'Europe/Berlin', spring)).toBe('2026-03-28T13:00:00Z')
  expect(end('now-24h', 'Europe/Berlin', spring)).toBe('2026-03-28T12:00:00Z')
  const autumn = Date.parse('2026-11-01T12:00:00Z')
  expect(end('now+1d/d', 'America/New_York', autumn)).toBe('2026-11-02T05:00:00Z')
})

test('fixed ends keep their digits, and what cannot be read is left to the server', () => {
  const range = { from: '2026-11-14T10:00:00.123456789Z', to: 'whenever' }
  expect(resolve(range, NOW, 'UTC')).toEqual(range)
  expect(resolve({ from: '', to: 'now' }, NOW, 'UTC')).toEqual({ from: null, to: '2026-11-15T13:04:05.000Z' })
})
