import { expect, test } from 'vitest'
import { findCommonUnit, findUnit, writeIn, writeOnAxis } from './units'

test.each([
  ['p95(duration_ms)', 'ms'],
  ['duration_ms', 'ms'],
  ['sum(http.bytes)', 'bytes'],
  ['bytes', 'bytes'],
  ['uptime_seconds', 'seconds'],
  ['cpu_percent', 'percent'],
  ['errors %', 'percent'],
  ['count', 'none'],
  ['count(duration_ms)', 'none'],
  ['items', 'none'],
  ['constructor', 'none'],
  ['forms', 'none'],
])('%s is in %s', (name, unit) => {
  expect(findUnit(name)).toBe(unit)
})

test('names that tell different units tell none', () => {
  expect(findCommonUnit(['avg(a_ms)', 'max(a_ms)'])).toBe('ms')
  expect(findCommonUnit(['count', 'avg(a_ms)'])).toBe('none')
  expect(findCommonUnit([])).toBe('none')
})

test('numbers are written with their unit, in the size that suits them', () => {
  expect(writeIn('ms', 250)).toBe('250 ms')
  expect(writeIn('ms', 10_021.4)).toBe('10 s')
  expect(writeIn('seconds', 90)).toBe('1.5 min')
  expect(writeIn('bytes', 2_400_000)).toBe('2.4 MB')
  expect(writeIn('bytes', -1500)).toBe('-1.5 kB')
  expect(writeIn('percent', 12.345)).toBe('12.3 %')
  expect(writeIn('none', 1234.5678)).toBe('1,235')
  expect(writeIn('none', 332.408)).toBe('332.4')
  expect(writeIn('none', 1.5)).toBe('1.5')
  expect(writeIn('none', 0)).toBe('0')
  expect(writeIn('short', 12_000)).toBe('12K')
  expect(writeIn('none', null)).toBe('–')
  expect(writeIn('ms', NaN)).toBe('–')
  expect(writeOnAxis('none', 12_000)).toBe('12K')
})
