import { expect, test } from 'vitest'
import { showTime, showTimeShort } from './show'

test.each([
  ['2026-11-15T12:04:05.123Z', 'Europe/Berlin', '2026-11-15 13:04:05.123'],
  ['2026-11-15T12:04:05.123Z', 'UTC', '2026-11-15 12:04:05.123'],
  ['2026-11-15T23:59:59.999999999Z', 'Europe/Berlin', '2026-11-16 00:59:59.999999999'],
  ['2026-07-01T12:00:00.000000001Z', 'Asia/Kolkata', '2026-07-01 17:30:00.000000001'],
  ['2026-11-15T12:04:05Z', 'UTC', '2026-11-15 12:04:05.000'],
  ['2026-11-15T12:04:05.5Z', 'UTC', '2026-11-15 12:04:05.500'],
  ['2026-01-01T02:30:00Z', 'America/New_York', '2025-12-31 21:30:00.000'],
])('shows %s in %s as %s', (time, zone, shown) => {
  expect(showTime(time, zone)).toBe(shown)
})

test('follows the clocks through the hour in which they are changed', () => {
  expect(showTime('2026-03-29T00:59:59.999Z', 'Europe/Berlin')).toBe('2026-03-29 01:59:59.999')
  expect(showTime('2026-03-29T01:00:00Z', 'Europe/Berlin')).toBe('2026-03-29 03:00:00.000')
  expect(showTime('2026-10-25T00:59:59Z', 'Europe/Berlin')).toBe('2026-10-25 02:59:59.000')
  expect(showTime('2026-10-25T01:00:00Z', 'Europe/Berlin')).toBe('2026-10-25 02:00:00.000')
})

test.each(['', 'soon', '2026-11-15', '2026-13-45T99:99:99Z', '2026-11-15T12:04:05'])(
  'leaves %j, which is no time, as it is',
  (text) => {
    expect(showTime(text, 'UTC')).toBe(text)
    expect(showTimeShort(text, 'UTC')).toBe(text)
  },
)

test('shows the time of day alone', () => {
  expect(showTimeShort('2026-11-15T12:04:05.123456Z', 'Europe/Berlin')).toBe('13:04:05.123456')
})
