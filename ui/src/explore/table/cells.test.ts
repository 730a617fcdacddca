import { expect, test } from 'vitest'
import { findExact, findMeasure, guessWidth, hasNumbers, showCell, showResult } from './cells'

test.each([
  [1234567.891, false, '1,234,567.891'],
  [8080, true, '8080'],
  [0.000123456, false, '0.0001235'],
  [7798.874402, false, '7,798.874'],
  [12345678901234567890n, false, '12,345,678,901,234,567,890'],
  ['2026-11-15T13:00:00Z', false, '2026-11-15 13:00:00'],
  ['2026-11-15T13:00:00.5Z', false, '2026-11-15 13:00:00.500'],
  ['<b>\u001b[31mred\u001b[0m\n\u202e', false, '<b>red⏎<U+202E>'],
  [['a', 1], false, '["a",1]'],
  [null, false, ''],
  ['', false, '""'],
  ['\u001b[0m', false, '<U+001B>[0m'],
  [false, false, 'false'],
])('%o is shown as %s', (value, isKey, text) => {
  expect(showCell(value, 'UTC', isKey)).toBe(text)
})

const shown = (measure: string, isKey = false) => ({ zone: 'UTC', isKey, measure })

test.each([
  [1534.5, 'p95(duration_ms)', false, '1.53 s', '1534.5'],
  [2400000, 'size_bytes', false, '2.4 MB', '2400000'],
  [12345678901234567890n, 'bytes', false, '12346 PB', '12345678901234567890'],
  [250, 'duration_ms', true, '250', undefined],
  [1234, 'count', false, '1,234', '1234'],
  [12, 'count', false, '12', undefined],
  ['12', 'duration_ms', false, '12', undefined],
  [null, 'duration_ms', false, '–', undefined],
])('%o in a column that is measured as %s is shown as %s', (value, measure, isKey, text, exact) => {
  expect(showResult(value, shown(measure, isKey))).toBe(text)
  expect(findExact(value, text)).toBe(exact)
})

test('columns that are named after values are measured by their aggregate', () => {
  expect(findMeasure('web', ['p95(duration_ms)'])).toBe('p95(duration_ms)')
  expect(findMeasure('count: web', ['count', 'p95(duration_ms)'])).toBe('count: web')
  expect(findMeasure('p95_ms', [])).toBe('p95_ms')
})

test('a column of numbers may have gaps but no texts', () => {
  expect(hasNumbers([{ a: 1 }, { a: null }, { a: 2n }], 'a')).toBe(true)
  expect(hasNumbers([{ a: 1 }, { a: '2' }], 'a')).toBe(false)
  expect(hasNumbers([{ a: null }], 'a')).toBe(false)
})

test('a column is wide enough for its name and no wider than fits a page', () => {
  expect(guessWidth([{ message: 'x'.repeat(5000) }], 'message', shown('message'))).toBe(480)
  expect(guessWidth([{ a: 1 }], 'a', shown('a'))).toBe(72)
  expect(
    guessWidth([{ 'a rather long name': 1 }], 'a rather long name', shown('a rather long name')),
  ).toBeGreaterThan(150)
})
