import { expect, test } from 'vitest'
import { writeCountBy } from './actions'

test.each([
  ['', 'service', '| stats count by service'],
  ['level:error', 'service', 'level:error | stats count by service'],
  ['a | where b>1', 'odd name', 'a | where b>1 | stats count by "odd name"'],
  ['a\n# note', 'b', 'a\n# note\n| stats count by b'],
])('counts what %j finds by %s', (query, field, expected) => {
  expect(writeCountBy(query, field)).toBe(expected)
})
