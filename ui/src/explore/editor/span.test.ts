import { expect, test } from 'vitest'
import type { Suggestion } from '../../api/search'
import { findSpan, isInviting } from './span'

/** `|` is where the cursor is: it gives the query with the suggestion in its place. */
function complete(marked: string, kind: Suggestion['kind'], text: string): string {
  const cursor = marked.indexOf('‸')
  const query = marked.replace('‸', '')
  const { from, to } = findSpan(query, cursor, kind)
  return query.slice(0, from) + text + query.slice(to)
}

test.each<[string, Suggestion['kind'], string, string]>([
  ['‸', 'field', 'level', 'level'],
  ['lev‸', 'field', 'level', 'level'],
  ['a le‸vel:x', 'field', 'level', 'a level:x'],
  ['-lev‸', 'field', 'level', '-level'],
  ['NOT two‸', 'field', '"two words"', 'NOT "two words"'],
  ['dash-‸', 'field', 'dash-ed', 'dash-ed'],
  ['😀 fi‸', 'field', 'field', '😀 field'],
  ['field:‸', 'value', '"two words"', 'field:"two words"'],
  ['field:two‸', 'value', '"two words"', 'field:"two words"'],
  ['field:"two‸', 'value', '"two words"', 'field:"two words"'],
  ['field:"two‸ words" b', 'value', '"two words"', 'field:"two words" b'],
  ['field:"two‸ AND b:"x"', 'value', '"two words"', 'field:"two words" AND b:"x"'],
  ['field:=ba‸ b', 'value', '"back\\\\slash"', 'field:="back\\\\slash" b'],
  ['field:t‸rue b', 'value', 'true', 'field:true b'],
  ['field!=t‸', 'value', 'true', 'field!=true'],
  ['field IN (a, t‸)', 'value', 'true', 'field IN (a, true)'],
  ['field IN (‸', 'value', 'true', 'field IN (true'],
  ['field:(a OR t‸', 'value', 'true', 'field:(a OR true'],
  ['{field="t‸', 'value', '"two words"', '{field="two words"'],
  ['"http status":‸', 'value', '404', '"http status":404'],
  ['"http status":4‸ b', 'value', '404', '"http status":404 b'],
  ["-'http status':4‸", 'value', '404', "-'http status':404"],
  ['`a b`:"x‸', 'value', '"x y"', '`a b`:"x y"'],
  ['| sta‸', 'pipe', 'stats', '| stats'],
  ['|‸', 'pipe', 'stats', '|stats'],
  ['| stats cou‸', 'function', 'count_uniq', '| stats count_uniq'],
  ['| stats avg(du‸)', 'field', 'duration_ms', '| stats avg(duration_ms)'],
  ['| stats count by ‸', 'field', 'host', '| stats count by host'],
  ['| sort -du‸', 'field', 'duration_ms', '| sort -duration_ms'],
  ['| eval x=du‸', 'field', 'duration_ms', '| eval x=duration_ms'],
  ['| eval x=a-du‸', 'field', 'duration_ms', '| eval x=a-duration_ms'],
  ['| where level:e‸', 'value', 'error', '| where level:error'],
  ["don't fi‸", 'field', 'field', "don't field"],
  ['"a b" AN‸', 'keyword', 'AND', '"a b" AND'],
])('completes %j by a %s', (marked, kind, text, expected) => {
  expect(complete(marked, kind, text)).toBe(expected)
})

test('invites where a name or value may begin, not after every blank', () => {
  for (const text of ['lev', 'level:', 'level: ', 'x | ', '| stats count by ', 'a AND ', 'f IN (', '"ab']) {
    expect(isInviting(text), text).toBe(true)
  }
  for (const text of ['', 'error ', 'level:error ', '(a) ']) expect(isInviting(text), text).toBe(false)
})
