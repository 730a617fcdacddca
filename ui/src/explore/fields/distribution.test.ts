import { expect, test } from 'vitest'
import { fillBuckets, MAX_BUCKETS, planBuckets, writeDistribution } from './distribution'

const spread = (min: number, p95: number, max: number) => ({ min, avg: null, p95, max })

test.each([
  [spread(0, 180, 190), true, { start: 0, width: 10, count: 20, isOpen: false }],
  [spread(200, 500, 500), true, { start: 200, width: 20, count: 16, isOpen: false }],
  [spread(1, 3, 4), true, { start: 1, width: 1, count: 4, isOpen: false }],
  [spread(0.1, 0.9, 1), false, { start: 0.1, width: 0.05, count: 19, isOpen: false }],
  [spread(-7, 5, 5), true, { start: -7, width: 1, count: 13, isOpen: false }],
  [spread(0, 10, 100_000), true, { start: 0, width: 1, count: 12, isOpen: true }],
])('buckets of %j begin at round numbers', (ends, isWhole, plan) => {
  expect(planBuckets(ends, isWhole)).toEqual(plan)
})

test('there are never too many buckets, and they reach from the least to the largest', () => {
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  for (let round = 0; round < 2000; round += 1) {
    const [min = 0, max = 0] = [random() - 0.5, random() - 0.5]
      .map((each) => each * 10 ** (20 * random() - 8))
      .sort((one, other) => one - other)
    const plan = planBuckets(spread(min, max, max), false)
    expect(plan).not.toBeNull()
    const { start = 0, width = 0, count = 0 } = plan ?? {}
    expect(count).toBeLessThanOrEqual(MAX_BUCKETS)
    expect(start).toBeLessThanOrEqual(min)
    expect(start + (count + 1e-6) * width).toBeGreaterThan(max)
  }
})

test.each([
  [spread(5, 5, 5)],
  [{ min: null, avg: null, p95: null, max: null }],
  [{ min: 'a', avg: null, p95: null, max: 'b' }],
  [{ min: 1n, avg: null, p95: 2n, max: 3n }],
])('%o has no distribution', (ends) => {
  expect(planBuckets(ends, true)).toBeNull()
})

test('asks about the events of the query, whatever the name', () => {
  const plan = { start: -20, width: 10, count: 5, isOpen: false }
  expect(writeDistribution('x # y', 'odd name', plan)).toBe(
    [
      'x # y',
      'eval _place = floor((`odd name` - (-20)) / 10)',
      'where _place:*',
      'eval _place = greatest(0, least(4, _place))',
      'stats count by _place',
    ].join('\n| '),
  )
  expect(writeDistribution('', 'a`b', plan)).toBeNull()
})

test('buckets without events are there too, and rows without a number are none', () => {
  const rows = [
    { _place: 2, count: 7 },
    { _place: null, count: 3 },
    { _place: 0, count: 1 },
  ]
  expect(fillBuckets(rows, { start: 0.1, width: 0.1, count: 3, isOpen: true })).toEqual([
    { from: 0.1, to: 0.2, count: 1 },
    { from: 0.2, to: 0.3, count: 0 },
    { from: 0.3, to: null, count: 7 },
  ])
})
