import { describe, expect, test } from 'vitest'
import { readRange, readSingleEnd } from './typed'

/** A Sunday. */
const NOW = Date.parse('2026-11-15T13:04:05Z')

function read(text: string, zone = 'UTC', now = NOW): string {
  const understood = readRange(text, now, zone)
  return 'range' in understood ? `${understood.range.from} ${understood.range.to}` : understood.problem
}

/** `2026-11-14T10:00` for the start of a minute. */
function shorten(text: string): string {
  return text.replaceAll(':00.000Z', '')
}

test.each([
  ['3h', '-3h now'],
  ['15 min', '-15m now'],
  ['15min', '-15m now'],
  ['90 seconds', '-90s now'],
  ['1h30m', '-90m now'],
  ['1 hour 30 minutes', '-90m now'],
  ['1.5h', '-90m now'],
  ['1d12h', '-36h now'],
  ['last 2 days', '-2d now'],
  ['past week', '-1w now'],
  ['the last minute', '-1m now'],
  ['2 months', '-2mon now'],
  ['3h ago', '-3h now'],
  ['-15m', '-15m now'],
  ['now-1h', 'now-1h now'],
  ['now-1h/h to now', 'now-1h/h now'],
  ['now-1d/d to now/d', 'now-1d/d now/d'],
  ['2h ago to 1h ago', '-2h -1h'],
  ['today', 'now/d now'],
  ['Yesterday', 'now-1d/d now/d'],
  ['this week', 'now/w now'],
  ['last week', 'now-1w/w now/w'],
  ['last month', 'now-1mon/mon now/mon'],
  ['yesterday to today', 'now-1d/d now'],
  ['all time', ' '],
])('reads %j relative to now as %j', (text, range) => {
  expect(read(text)).toBe(range)
})

test.each([
  ['2026-11-14', '2026-11-14T00:00 2026-11-15T00:00'],
  ['2026/11/14', '2026-11-14T00:00 2026-11-15T00:00'],
  ['14.11.2026', '2026-11-14T00:00 2026-11-15T00:00'],
  ['2026-10', '2026-10-01T00:00 2026-11-01T00:00'],
  ['2025', '2025-01-01T00:00 2026-01-01T00:00'],
  ['monday', '2026-11-09T00:00 2026-11-10T00:00'],
  ['sunday', '2026-11-15T00:00 2026-11-16T00:00'],
  ['last sunday', '2026-11-08T00:00 2026-11-09T00:00'],
  ['Sep 1', '2026-09-01T00:00 2026-09-02T00:00'],
  ['1 September', '2026-09-01T00:00 2026-09-02T00:00'],
  ['Dec 24', '2025-12-24T00:00 2025-12-25T00:00'],
  ['Feb 29', '2024-02-29T00:00 2024-03-01T00:00'],
  ['Sep 1st, 2024', '2024-09-01T00:00 2024-09-02T00:00'],
  ['October', '2026-10-01T00:00 2026-11-01T00:00'],
  ['Sep 1 10:00-11:00', '2026-09-01T10:00 2026-09-01T11:00'],
  ['Sep 1 10:00 – 11:00', '2026-09-01T10:00 2026-09-01T11:00'],
  ['Sep 1 10:00 – Sep 2 12:00', '2026-09-01T10:00 2026-09-02T12:00'],
  ['Sep 1 - Sep 2', '2026-09-01T00:00 2026-09-03T00:00'],
  ['Sep 1 22:00-02:00', '2026-09-01T22:00 2026-09-02T02:00'],
  ['2026-11-14 10:00 to 11:30', '2026-11-14T10:00 2026-11-14T11:30'],
  ['2026-11-14 10:00-11:30', '2026-11-14T10:00 2026-11-14T11:30'],
  ['2026-11-12-2026-11-14', '2026-11-12T00:00 2026-11-15T00:00'],
  ['2026-11-14 10:00', '2026-11-14T10:00 2026-11-14T10:01'],
  ['2026-11-14T10:00', '2026-11-14T10:00 2026-11-14T10:01'],
  ['10:00-11:00', '2026-11-15T10:00 2026-11-15T11:00'],
  ['10:00', '2026-11-15T10:00 2026-11-15T10:01'],
  ['9am', '2026-11-15T09:00 2026-11-15T10:00'],
  ['9:30pm yesterday', '2026-11-14T21:30 2026-11-14T21:31'],
  ['yesterday 9am - 12pm', '2026-11-14T09:00 2026-11-14T12:00'],
  ['monday at noon to tuesday 12am', '2026-11-09T12:00 2026-11-10T00:00'],
  ['between 9am and 10am', '2026-11-15T09:00 2026-11-15T10:00'],
  ['since 9am', '2026-11-15T09:00 now'],
  ['since yesterday', 'now-1d/d now'],
  ['since Sep 1', '2026-09-01T00:00 now'],
  ['before Sep 1', ' 2026-09-01T00:00'],
  ['23:00-24:00', '2026-11-15T23:00 2026-11-16T00:00'],
])('reads %j as %j', (text, range) => {
  expect(shorten(read(text))).toBe(range)
})

test.each([
  ['2026-11-14T10:00:00Z', '2026-11-14T10:00:00.000Z 2026-11-14T10:00:01.000Z'],
  ['2026-11-14T10:00:00.5+01:00', '2026-11-14T09:00:00.500Z 2026-11-14T09:00:01.500Z'],
  ['2026-11-14t10:00:00-05:00', '2026-11-14T15:00:00.000Z 2026-11-14T15:00:01.000Z'],
  ['2026-11-14 10:00:00+0000', '2026-11-14T10:00:00.000Z 2026-11-14T10:00:01.000Z'],
  ['2026-11-14 10:00:05,250 UTC', '2026-11-14T10:00:05.250Z 2026-11-14T10:00:06.250Z'],
  ['2026-11-14T10:00:00Z to 2026-11-14T11:00:00Z', '2026-11-14T10:00:00.000Z 2026-11-14T11:00:00.000Z'],
  ['1763200000', '2025-11-15T09:46:40.000Z 2025-11-15T09:46:41.000Z'],
  ['1763200000123', '2025-11-15T09:46:40.123Z 2025-11-15T09:46:41.123Z'],
  ['1763200000123456789', '2025-11-15T09:46:40.123Z 2025-11-15T09:46:41.123Z'],
  ['1763200000 - 1763203600', '2025-11-15T09:46:40.000Z 2025-11-15T10:46:40.000Z'],
])('reads %j the same in every zone', (text, range) => {
  expect(read(text)).toBe(range)
  expect(read(text, 'Asia/Kolkata')).toBe(range)
})

test.each([
  'soon',
  '3 parsecs',
  '25:00',
  '10:61',
  '13pm',
  'Feb 30',
  '2026-13-01',
  '2026-02-29',
  'Sep 1 10:00-',
  '- 10:00',
  'since',
  'since whenever',
  '0h',
  '1 month 3 hours',
  'foo 1',
  '12',
])('does not take %j for a time', (text) => {
  expect(read(text)).toContain('is not a valid time')
})

test.each(['11:00 today to 9:00 today', 'now to now-1h', '2026-11-14 to 2026-11-12', 'since 5pm'])(
  'says that %j ends before it begins',
  (text) => {
    expect(read(text)).toBe('The end is before the start')
  },
)

test('asks for something where nothing is typed', () => {
  expect(read('  ')).toContain('Type a range')
})

describe('on days when clocks change', () => {
  test.each([
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00 2026-03-29T22:00'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00 2026-10-25T23:00'],
    ['2026-03-08', 'America/New_York', '2026-03-08T05:00 2026-03-09T04:00'],
    ['Nov 1', 'America/New_York', '2026-11-01T04:00 2026-11-02T05:00'],
    ['2026-03-29 01:30-03:30', 'Europe/Berlin', '2026-03-29T00:30 2026-03-29T01:30'],
    ['2026-03-29 02:30-04:00', 'Europe/Berlin', '2026-03-29T01:00 2026-03-29T02:00'],
    ['2026-10-25 02:30-03:30', 'Europe/Berlin', '2026-10-25T00:30 2026-10-25T02:30'],
    ['2026-11-01 00:30-02:30', 'America/New_York', '2026-11-01T04:30 2026-11-01T07:30'],
  ])('reads %j in %s', (text, zone, range) => {
    expect(shorten(read(text, zone))).toBe(range)
  })
})

test('takes the day of the zone, not of UTC', () => {
  const late = Date.parse('2026-11-15T23:30:00Z')
  expect(shorten(read('9am', 'Europe/Berlin', late))).toBe('2026-11-16T08:00 2026-11-16T09:00')
  expect(shorten(read('monday', 'Europe/Berlin', late))).toBe('2026-11-15T23:00 2026-11-16T23:00')
})

test.each([
  ['', ''],
  ['now', 'now'],
  ['-1h', '-1h'],
  ['2026-11-14', '2026-11-14T00:00'],
  ['2026-11-14 10:00:00', '2026-11-14T10:00'],
  ['yesterday', 'now-1d/d'],
  ['soon', null],
])('reads %j as one end', (text, expected) => {
  const end = readSingleEnd(text, NOW, 'UTC')
  expect(end === null ? null : shorten(end)).toBe(expected)
})
