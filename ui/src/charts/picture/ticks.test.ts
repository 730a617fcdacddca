import { expect, test } from 'vitest'
import { writeTick } from './ticks'

const at = (time: string) => Date.parse(time) / 1000

test.each([
  ['2026-11-15T13:04:05Z', 60, 'UTC', '13:04'],
  ['2026-11-15T13:04:05Z', 5, 'UTC', '13:04:05'],
  ['2026-11-15T13:04:05.25Z', 0.05, 'UTC', '13:04:05.250'],
  ['2026-11-15T00:00:00Z', 3600, 'UTC', 'Nov 15'],
  ['2026-11-14T23:00:00Z', 3600, 'Europe/Berlin', 'Nov 15'],
  ['2026-11-15T13:00:00Z', 3600, 'Asia/Kolkata', '18:30'],
  ['2026-11-15T00:00:00Z', 86_400, 'UTC', 'Nov 15'],
  ['2026-11-01T00:00:00Z', 30 * 86_400, 'UTC', 'Nov 2026'],
  ['2026-01-01T00:00:00Z', 365 * 86_400, 'UTC', '2026'],
])('%s with steps of %d s in %s is %s', (time, step, zone, label) => {
  expect(writeTick(at(time), step, zone)).toBe(label)
})
