import { expect, test } from 'vitest'
import { writeSpan } from './spans'

const at = Date.parse('2026-11-15T22:00:00Z')

test('a span within a day says the date once', () => {
  expect(writeSpan(at, at + 60_000, 'UTC')).toBe('2026-11-15 22:00:00 – 22:01:00')
})

test('a span over midnight of the zone says both dates', () => {
  expect(writeSpan(at, at + 7_200_500, 'UTC')).toBe('2026-11-15 22:00:00 – 2026-11-16 00:00:00.500')
  expect(writeSpan(at, at + 7_200_000, 'Europe/Berlin')).toBe('2026-11-15 23:00:00 – 2026-11-16 01:00:00')
})
