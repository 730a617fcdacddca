import { expect, test } from 'vitest'
import { describeChange, findEarlier, layOver } from './before'
import { stackLevels } from '../picture/stack'

const NOON = '2026-11-15T12:00:00.000Z'
const at = (minutes: number) => new Date(Date.parse(NOON) + minutes * 60_000).toISOString()

test('the time before is as long and ends where the span begins', () => {
  const earlier = findEarlier({ from: NOON, to: at(60) }, '1m', 0)
  expect(earlier).toEqual({ from: at(-60), to: NOON, shift: 3_600_000 })
})

test('it is moved by whole buckets', () => {
  const earlier = findEarlier({ from: at(3), to: at(50) }, '10m', 0)
  expect(earlier).toEqual({ from: at(-47), to: NOON, shift: 3_000_000 })
})

test('a span without an end is one up to now', () => {
  expect(findEarlier({ from: NOON, to: null }, '1m', Date.parse(at(30)))?.from).toBe(at(-30))
})

test.each([
  [{ from: null, to: NOON }, '1m'],
  [{ from: NOON, to: NOON }, '1m'],
  [{ from: 'nonsense', to: NOON }, '1m'],
  [{ from: NOON, to: at(1) }, 'nonsense'],
])('%j in buckets of %s has no time before', (span, interval) => {
  expect(findEarlier(span, interval, 0)).toBeNull()
})

test('counts come to lie on the buckets that they are compared with', () => {
  const make = (times: string[], interval: string) => ({
    interval,
    buckets: times.map((time, place) => ({ time, count: place + 1 })),
    complete: true,
    warnings: [],
  })
  const { buckets } = stackLevels(make([NOON, at(1), at(2)], '1m'), 'UTC')
  expect(layOver(make([at(-3), at(-2), at(-1)], '1m'), 180_000, buckets)).toEqual([1, 2, 3])
  expect(layOver(make([at(-2)], '1m'), 180_000, buckets)).toEqual([0, 1, 0])
  expect(layOver(make([], '1m'), 180_000, buckets)).toEqual([0, 0, 0])
})

test('days are compared with days, also where clocks were changed between', () => {
  const days = (times: string[]) => ({
    interval: '1d',
    buckets: times.map((time, place) => ({ time, count: place + 1 })),
    complete: true,
    warnings: [],
  })
  const zone = 'Europe/Berlin'
  const { buckets } = stackLevels(days(['2026-10-25T22:00:00Z', '2026-10-26T23:00:00Z']), zone)
  const earlier = days(['2026-10-23T22:00:00Z', '2026-10-24T22:00:00Z'])
  expect(layOver(earlier, 2 * 86_400_000, buckets)).toEqual([1, 2])
})

test.each([
  [24, 12, '12 in the previous period, +100 %'],
  [6, 12, '12 in the previous period, −50 %'],
  [12, 12, '12 in the previous period, ±0 %'],
  [5, 0, 'none in the previous period'],
  [0, 1200, '1,200 in the previous period, −100 %'],
])('%d after %d are said as %s', (now, before, words) => {
  expect(describeChange(now, before)).toBe(words)
})
