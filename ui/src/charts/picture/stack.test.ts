import { expect, test } from 'vitest'
import type { Histogram } from '../../api/search'
import { clipSpan, findBucket, findTops, stackLevels } from './stack'

const HISTOGRAM: Histogram = {
  interval: '1m',
  buckets: [
    { time: '2026-11-15T13:00:00Z', count: 6, by: { error: 1, info: 3, null: 2 } },
    { time: '2026-11-15T13:01:00Z', count: 0, by: {} },
    { time: '2026-11-15T13:02:00Z', count: 5, by: { info: 1, WARN: 1, other: 3 } },
  ],
  complete: true,
  warnings: [],
}
const START = Date.parse('2026-11-15T13:00:00Z')

test('levels are in a fixed order, whatever the order of the answer', () => {
  const { levels } = stackLevels(HISTOGRAM, 'UTC')
  expect(levels.map(({ name }) => name)).toEqual(['null', 'other', 'info', 'WARN', 'error'])
  expect(levels.map(({ value }) => value)).toEqual([null, undefined, 'info', 'WARN', 'error'])
  expect(levels.map(({ total }) => total)).toEqual([2, 3, 4, 1, 1])
})

test('values of another field are in the order of their counts, the rest above them', () => {
  const { levels } = stackLevels({ ...HISTOGRAM, by: 'host' }, 'UTC')
  expect(levels.map(({ name }) => name)).toEqual(['other', 'null', 'WARN', 'error', 'info'])
  expect(levels.map(({ token }) => token)).toEqual([
    '--level-none',
    '--level-none',
    '--series-3',
    '--series-2',
    '--series-1',
  ])
})

test('a value that looks like a reserved name is unquoted', () => {
  const by = { null: 1, '"null"': 2, '"other"': 3, '""other""': 4, '"quoted"': 5 }
  const buckets = [{ time: '2026-11-15T13:00:00Z', count: 15, by }]
  const { levels } = stackLevels({ ...HISTOGRAM, buckets, by: 'host' }, 'UTC')
  const values = Object.fromEntries(levels.map(({ name, value }) => [name, value]))
  expect(values).toEqual({
    null: null,
    '"null"': 'null',
    '"other"': 'other',
    '""other""': '"other"',
    '"quoted"': '"quoted"',
  })
})

test('without a field all events are one', () => {
  const { levels, buckets } = stackLevels({ ...HISTOGRAM, by: '' }, 'UTC')
  expect(levels.map(({ name, total }) => [name, total])).toEqual([['all', 11]])
  expect(buckets.map(({ counts }) => counts)).toEqual([[6], [0], [5]])
})

test('a bucket ends where the next begins, the last after its length', () => {
  const { buckets, total } = stackLevels(HISTOGRAM, 'UTC')
  expect(buckets.map(({ from, to }) => [from - START, to - START])).toEqual([
    [0, 60_000],
    [60_000, 120_000],
    [120_000, 180_000],
  ])
  expect(total).toBe(11)
})

test('each level stands on those after it, so the first reaches the count', () => {
  const tops = findTops(stackLevels(HISTOGRAM, 'UTC'))
  expect(tops).toEqual([
    [6, 0, 5],
    [4, 0, 5],
    [4, 0, 2],
    [1, 0, 1],
    [1, 0, 0],
  ])
})

test('a moment is found in its bucket, also late in it', () => {
  const { buckets } = stackLevels(HISTOGRAM, 'UTC')
  expect(findBucket(buckets, START + 59_999)).toBe(0)
  expect(findBucket(buckets, START + 60_000)).toBe(1)
  expect(findBucket(buckets, START + 900_000)).toBe(2)
  expect(findBucket(buckets, START - 5)).toBe(0)
  expect(findBucket([], START)).toBe(-1)
})

test('a span stays within the range that was asked for', () => {
  const span = { from: START, to: START + 60_000 }
  expect(clipSpan(span, { from: '2026-11-15T13:00:30Z', to: null })).toEqual({
    from: '2026-11-15T13:00:30.000Z',
    to: '2026-11-15T13:01:00.000Z',
  })
  expect(clipSpan({ from: START, to: START }, { from: null, to: null }).to).toBe('2026-11-15T13:00:00.001Z')
})
