import { expect, test } from 'vitest'
import { endBucket, nameInterval, readInterval } from './intervals'

test('a length of time is read in milliseconds', () => {
  expect(readInterval('5m')).toBe(300_000)
  expect(readInterval('1.5h')).toBe(5_400_000)
  expect(readInterval('500ms')).toBe(500)
  expect(readInterval('10KB')).toBeNull()
})

test('a length of time is named in words', () => {
  expect(nameInterval('1m')).toBe('1 minute')
  expect(nameInterval('30s')).toBe('30 seconds')
  expect(nameInterval('7d')).toBe('7 days')
  expect(nameInterval('soon')).toBe('soon')
})

test('a day ends at the next midnight of the zone, also when clocks change', () => {
  const start = Date.parse('2026-03-28T23:00:00Z')
  expect(endBucket(start, 86_400_000, 'Europe/Berlin')).toBe(Date.parse('2026-03-29T22:00:00Z'))
  expect(endBucket(start, 3_600_000, 'Europe/Berlin')).toBe(start + 3_600_000)
})
