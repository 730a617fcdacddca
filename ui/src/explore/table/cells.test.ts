import { expect, test } from 'vitest'
import { guessWidth, hasNumbers, showCell } from './cells'

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

test('a column of numbers may have gaps but no texts', () => {
  expect(hasNumbers([{ a: 1 }, { a: null }, { a: 2n }], 'a')).toBe(true)
  expect(hasNumbers([{ a: 1 }, { a: '2' }], 'a')).toBe(false)
  expect(hasNumbers([{ a: null }], 'a')).toBe(false)
})

test('a column is wide enough for its name and no wider than fits a page', () => {
  expect(guessWidth([{ message: 'x'.repeat(5000) }], 'message', 'UTC')).toBe(480)
  expect(guessWidth([{ a: 1 }], 'a', 'UTC')).toBe(72)
  expect(guessWidth([{ 'a rather long name': 1 }], 'a rather long name', 'UTC')).toBeGreaterThan(150)
})
