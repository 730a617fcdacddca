import { expect, test } from 'vitest'
import { joinPipes, splitPipes } from './pipes'

// Canonical forms as the server wrote them.
const CASES: [string, string[]][] = [
  ['*', ['*']],
  ['level:error a | stats count', ['level:error a', 'stats count']],
  ['message:/a|b/ | stats count', ['message:/a|b/', 'stats count']],
  ['x:/a|b"c\\/d/ path:/v|w/i | where a:/x|y/', ['x:/a|b"c\\/d/ path:/v|w/i', 'where a:/x|y/']],
  ['"a | b" | stats count', ['"a | b"', 'stats count']],
  ['f:in(x | stats count by f) | stats count', ['f:in(x | stats count by f)', 'stats count']],
  ['a:"x|y" | where "p|q" | stats count', ['a:"x|y"', 'where "p|q"', 'stats count']],
  ['* | stats count by "odd|na\\"me"', ['*', 'stats count by "odd|na\\"me"']],
  ['* | eval y = `odd|"name`', ['*', 'eval y = `odd|"name`']],
  ['path:"/a" | where y:"/"', ['path:"/a"', 'where y:"/"']],
  ['path:/a/ | limit 3', ['path:/a/', 'limit 3']],
  ['path:/a/b* z | where y:/q|r/', ['path:/a/b* z', 'where y:/q|r/']],
  ['x=~"a | b" | limit 3', ['x=~"a | b"', 'limit 3']],
  ['* | rex "a|b(?<x>.)" | limit 2', ['*', 'rex "a|b(?<x>.)"', 'limit 2']],
  [
    'level:error | union (level:warn | limit 2) | limit 1',
    ['level:error', 'union (level:warn | limit 2)', 'limit 1'],
  ],
  ['size:[1 TO 5} x:a\\*b | limit 2', ['size:[1 TO 5} x:a\\*b', 'limit 2']],
]

test.each(CASES)('%s is cut at its pipes', (query, parts) => {
  expect(splitPipes(query)).toEqual(parts)
  expect(joinPipes(splitPipes(query))).toBe(query)
})
