import { expect, test } from 'vitest'
import { OPERATORS, needsValue, writeCondition, type Operator } from './conditions'

test.each<[string, Operator, string, string]>([
  ['level', 'is', 'error', 'level:="error"'],
  ['level', 'is not', 'error', 'NOT level:="error"'],
  ['path', 'contains', 'a b*', 'path:*a\\ b\\**'],
  ['path', 'does not contain', '(x', 'NOT path:*\\(x*'],
  ['host', 'matches', '^web-\\d+', 'host=~"^web-\\\\d+"'],
  ['took', '>=', '250ms', 'took>=250ms'],
  ['size', '<', '1.5KiB', 'size<1.5KiB'],
  ['name', '>', 'm', 'name>"m"'],
  ['user agent', 'exists', '', '"user agent":*'],
  ['in', 'does not exist', '', 'NOT "in":*'],
])('%s %s %s', (field, operator, value, text) => {
  expect(writeCondition(field, operator, value)).toBe(text)
})

test('only existence needs no value', () => {
  expect(OPERATORS.filter((operator) => !needsValue(operator))).toEqual(['exists', 'does not exist'])
})
