import { expect, test } from 'vitest'
import { findColour, findTrend, PLAIN_CHART, readChart, summarise } from './settings'

test('what is kept of a chart is read member by member, and nonsense is left out', () => {
  expect(readChart({})).toEqual(PLAIN_CHART)
  expect(
    readChart({
      unit: 'ms',
      show: 'max',
      thresholds: [
        { value: 9, color: 'red' },
        { value: '5', color: 'amber' },
        { value: 1, color: 'url(x)' },
        null,
        7,
      ],
      right: ['a', 7, null],
    }),
  ).toEqual({
    unit: 'ms',
    show: 'max',
    thresholds: [
      { value: 5, color: 'amber' },
      { value: 9, color: 'red' },
    ],
    right: ['a'],
  })
  expect(readChart({ unit: '<b>', show: {}, thresholds: 'x', right: {} })).toEqual(PLAIN_CHART)
})

test('a value has the colour of the highest threshold that it reaches', () => {
  const { thresholds } = readChart({
    thresholds: [
      { value: 10, color: 'red' },
      { value: 5, color: 'amber' },
    ],
  })
  expect([4, 5, 9, 10, null].map((value) => findColour(thresholds, value))).toEqual([
    null,
    'amber',
    'amber',
    'red',
    null,
  ])
})

test('a series is summed up without its gaps', () => {
  expect(summarise([1, null, 5, 3, null])).toEqual({ last: 3, sum: 9, mean: 3, max: 5, min: 1 })
  expect(summarise([null]).last).toBeNull()
  expect(summarise([]).sum).toBeNull()
})

test('a trend compares the second half with the first', () => {
  expect(findTrend([2, 2, 3, 3])).toBe(0.5)
  expect(findTrend([4, 4, 9, 1, 1])).toBe(-0.75)
  expect(findTrend([0, 5])).toBeNull()
  expect(findTrend([5])).toBeNull()
})
