import { expect, test } from 'vitest'
import { describeRange, QUICK_RANGES, writeEnd } from './words'
import { readRange } from './typed'

const NOW = Date.parse('2026-11-15T13:04:05Z')

test.each([
  ['-1h', 'now', 'Last 1 hour'],
  ['-1h', '', 'Since 1 hour ago, including the future'],
  ['-90m', 'now', 'Last 90 minutes'],
  ['now-2w', 'now', 'Last 2 weeks'],
  ['now/d', 'now', 'Today'],
  ['now-1d/d', 'now/d', 'Yesterday'],
  ['', '', 'All time'],
  ['now-3h/h', 'now', 'Since now-3h/h'],
  ['-2h', '-1h', '2 hours ago – 1 hour ago'],
  ['2026-11-14T10:00:00.000Z', '2026-11-14T11:00:00.000Z', 'Nov 14 10:00 – 11:00 UTC'],
  ['2026-11-14T10:00:05Z', '2026-11-15T11:00:00.250Z', 'Nov 14 10:00:05 – Nov 15 11:00:00.250 UTC'],
  ['2025-11-14T10:00:00Z', '2026-01-02T11:00:00Z', 'Nov 14 2025 10:00 – Jan 2 11:00 UTC'],
  ['2026-11-14T00:00:00Z', '2026-11-15T00:00:00Z', 'Nov 14 UTC'],
  ['2026-11-12T00:00:00Z', '2026-11-15T00:00:00Z', 'Nov 12 – Nov 14 UTC'],
  ['2026-11-14T10:00:00Z', 'now', 'Since Nov 14 10:00'],
  ['', '2026-11-14T10:00:00Z', 'Until Nov 14 10:00 UTC'],
  ['nonsense', '2026-11-14T10:00:00Z', 'nonsense – 2026-11-14T10:00:00Z UTC'],
])('describes %j to %j as %j', (from, to, words) => {
  expect(describeRange({ from, to }, NOW, 'UTC')).toBe(words)
})

test('names a zone by its city, and days by its clocks', () => {
  const range = { from: '2026-03-28T23:00:00Z', to: '2026-03-29T22:00:00Z' }
  expect(describeRange(range, NOW, 'Europe/Berlin')).toBe('Mar 29 Berlin')
  expect(describeRange(range, NOW, 'America/New_York')).toBe('Mar 28 19:00 – Mar 29 18:00 New York')
})

test('every quick range has its own name', () => {
  for (const range of QUICK_RANGES) expect(describeRange(range, NOW, 'UTC')).toBe(range.label)
})

test.each(['UTC', 'Europe/Berlin', 'America/New_York'])(
  'what a field shows of an end in %s is read back',
  (zone) => {
    const range = { from: '2026-11-14T10:00:00.250Z', to: '2026-11-14T11:30:00.000Z' }
    const text = `${writeEnd(range.from, NOW, zone)} to ${writeEnd(range.to, NOW, zone)}`
    expect(readRange(text, NOW, zone)).toEqual({ range })
  },
)

test('an end that moves is shown as it is written', () => {
  expect(writeEnd('now-1h/h', NOW, 'UTC')).toBe('now-1h/h')
  expect(writeEnd('', NOW, 'UTC')).toBe('')
})
