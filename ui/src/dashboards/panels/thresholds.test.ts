import { expect, test } from 'vitest'
import { readThresholds, writeThresholds } from './thresholds'

test('thresholds are typed as values with colours, the lowest first', () => {
  const read = readThresholds('2000 red, 0.5 Amber,')
  expect(read).toEqual([
    { value: 0.5, color: 'amber' },
    { value: 2000, color: 'red' },
  ])
  expect(readThresholds(writeThresholds(read))).toEqual(read)
  expect(readThresholds(' ')).toEqual([])
})

test.each(['5', 'red', 'x red', '5 pink', '5 red now'])('%s is no threshold', (text) => {
  expect(() => readThresholds(text)).toThrow('is not a value and a colour')
})
