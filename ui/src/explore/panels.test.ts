import { expect, test } from 'vitest'
import { keepRows } from './panels'

test.each([
  ['level:error', 'level:error'],
  ['a | stats count by b', 'a'],
  [
    'a | where x > 1 | eval y = x * 2 | stats count by y | where count > 1',
    'a | where x > 1 | eval y = x * 2',
  ],
  ['message:/a|b/ | fields host', 'message:/a|b/ | fields host'],
  ['* | limit 5 | fields host', '*'],
])('of %s the panels show the events of %s', (query, kept) => {
  expect(keepRows(query)).toBe(kept)
})
