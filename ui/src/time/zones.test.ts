import { expect, test } from 'vitest'
import { fromClock, isZone, toClock } from './zones'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
]
const HOUR_MS = 3_600_000

test.each(ZONES)('what the clocks of %s show leads back to a moment that shows the same', (zone) => {
  for (let hour = 0; hour < 366 * 24; hour += 5) {
    const moment = Date.UTC(2026, 0, 1) + hour * HOUR_MS
    const found = fromClock(toClock(moment, zone), zone)
    expect(toClock(found, zone)).toBe(toClock(moment, zone))
    expect(found).toBeLessThanOrEqual(moment)
  }
})

test('takes the first of two moments that clocks show when they go back', () => {
  const clock = Date.UTC(2026, 9, 25, 2, 30)
  expect(new Date(fromClock(clock, 'Europe/Berlin')).toISOString()).toBe('2026-10-25T00:30:00.000Z')
})

test('takes the moment clocks go on for a time they skip', () => {
  const berlin = fromClock(Date.UTC(2026, 2, 29, 2, 30), 'Europe/Berlin')
  expect(new Date(berlin).toISOString()).toBe('2026-03-29T01:00:00.000Z')
  const york = fromClock(Date.UTC(2026, 2, 8, 2, 0), 'America/New_York')
  expect(new Date(york).toISOString()).toBe('2026-03-08T07:00:00.000Z')
})

test('knows zones by name', () => {
  expect(isZone('Europe/Berlin')).toBe(true)
  expect(isZone('local')).toBe(true)
  expect(isZone('Middle/Earth')).toBe(false)
})
