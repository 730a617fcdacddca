import { expect, it } from 'vitest'
import { findWithin, MOST_MOMENTS, readMoments } from './moments'

const NOON = Date.parse('2026-11-15T12:00:00Z')

it('are the rows with a time, the oldest first, by what they say', () => {
  const rows = [
    { _time: '2026-11-15T12:00:01Z', message: 'deploy\u0000 <b>1.2</b>' },
    { _time: '2026-11-15T12:00:00Z', count: 3 },
    { _time: '2026-11-15T11:59:59Z' },
    { message: 'without a time' },
  ]
  expect(readMoments(rows).map(({ time, label }) => [time - NOON, label])).toEqual([
    [-1000, 'event'],
    [0, '3'],
    [1000, expect.stringContaining('<b>1.2</b>')],
  ])
})

it('are the newest ones where there are many', () => {
  const rows = Array.from({ length: 150 }, (_, place) => ({
    _time: new Date(NOON + place).toISOString(),
    message: `${place}`,
  }))
  const found = readMoments(rows)
  expect([found.length, found.at(-1)?.label]).toEqual([MOST_MOMENTS, '149'])
  expect(findWithin(found, NOON + 140, NOON + 142).map(({ label }) => label)).toEqual(['140', '141'])
})
