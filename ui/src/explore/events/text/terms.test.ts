import { expect, test } from 'vitest'
import { listTerms, markTerms, writePattern } from './terms'

test.each([
  ['*', []],
  ['', []],
  ['timeout', ['timeout']],
  ['timeout "connection refused"', ['timeout', 'connection refused']],
  ['(timeout OR "a \\"b\\" c") NOT debug', ['timeout', 'a "b" c']],
  ['NOT (a OR b) c', ['c']],
  ['a AND NOT b AND c', ['a', 'c']],
  ['level:error timeout', ['timeout']],
  ['message:foo message:"two words"', ['foo', 'two words']],
  ['message:conn*ref', []],
  ['level:="x" status>=500 host!=a', []],
  ['"user agent":curl word', ['word']],
  ['host IN (web-01, "web 2") word', ['word']],
  ['host NOT IN (web-01) word', ['word']],
  ['status:(500 OR 502) word', ['word']],
  ['*:timeout word', ['word']],
  ['host=~"web-\\d+" word', ['word']],
  ['timeout | stats count by word', ['timeout']],
  ['"a | b" c', ['a | b', 'c']],
  ['"\\u00e9t\\u00e9"', ['été']],
  ['(((', []],
  ['host IN word', ['host', 'IN', 'word']],
  ['NOT', []],
  ['"never closed', ['never', 'closed']],
])('finds what %j looks for', (query, expected) => {
  expect(listTerms(query)).toEqual(expected)
})

test('marks every occurrence, in any case, and nothing else', () => {
  const pattern = writePattern(['time', 'timeout', 'a.b'])
  expect(markTerms('Timeout at time a.b axb', pattern)).toEqual([
    { text: 'Timeout', isMark: true },
    { text: ' at ', isMark: false },
    { text: 'time', isMark: true },
    { text: ' ', isMark: false },
    { text: 'a.b', isMark: true },
    { text: ' axb', isMark: false },
  ])
})

test('takes every term literally', () => {
  for (const term of ['a+b', '(x', '[y]', 'c\\d', '$1^', 'a-b', '{2}', 'p|q', '/s/', '<b>']) {
    expect(markTerms(`1 ${term} 2`, writePattern([term]))[1]).toEqual({ text: term, isMark: true })
  }
})

test('marks nothing without terms', () => {
  expect(writePattern([])).toBeNull()
  expect(markTerms('text', null)).toEqual([{ text: 'text', isMark: false }])
})
