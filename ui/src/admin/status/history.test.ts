import { expect, test } from 'vitest'
import { fillHistory, findPeak, STEPS } from './history'

test('a short history is filled up at its beginning, a long one cut there', () => {
  const short = fillHistory([{ events: 3 }, { events: 4 }])
  expect(short).toHaveLength(STEPS)
  expect(short.slice(-3)).toEqual([0, 3, 4])
  const long = fillHistory(Array.from({ length: STEPS + 5 }, (_, events) => ({ events })))
  expect(long).toHaveLength(STEPS)
  expect(long[0]).toBe(5)
})

test('the peak is per second', () => {
  expect(findPeak([{ events: 10 }, { events: 50 }, { events: 0 }])).toBe(10)
  expect(findPeak([])).toBe(0)
})
