import { expect, test } from 'vitest'
import type { Suggestion } from '../../api/search'
import { finish, isTakenByEnter } from './completion'

test.each<[string, Suggestion['kind'], string, string, number]>([
  ['', 'field', 'level', 'level:', 0],
  ['', 'field', '"two words"', '"two words":', 0],
  ['| stats count by ', 'field', 'level', 'level', 0],
  ['| stats ', 'function', 'avg', 'avg()', 1],
  ['| stats ', 'function', 'count', 'count', 0],
  ['| ', 'pipe', 'stats', 'stats ', 0],
  ['a ', 'keyword', 'AND', 'AND ', 0],
  ['level:', 'value', 'error', 'error', 0],
])('after %j a %s %s is finished as %j', (before, kind, text, finished, offset) => {
  expect(finish({ kind, text }, before, before.length, before.length)).toEqual({ text: finished, offset })
})

test('adds nothing that is there already', () => {
  expect(finish({ kind: 'field', text: 'level' }, 'lev:x', 0, 3).text).toBe('level')
  expect(finish({ kind: 'field', text: 'level' }, 'lev >= 5', 0, 3).text).toBe('level')
  expect(finish({ kind: 'function', text: 'avg' }, '| stats a(x)', 8, 9).text).toBe('avg')
  expect(finish({ kind: 'pipe', text: 'stats' }, '| st count', 2, 4).text).toBe('stats')
})

test.each([
  ['pipe', 'sta', '* | ', ['stats', 'streamstats'], true],
  ['pipe', '', '* | ', ['stats'], true],
  ['pipe', 'Stats', '* | ', ['stats', 'streamstats'], false],
  ['function', 'cou', '* | stats ', ['count'], true],
  ['field', 'serv', '* | stats count by ', ['service'], true],
  ['field', 'vice', '* | stats count by ', ['service'], false],
  ['field', 'service', '* | stats count by ', ['service', 'service.name'], false],
  // A word is a search by itself.
  ['field', 'err', '', ['error_code'], false],
  ['keyword', 'a', 'x ', ['AND'], false],
  // Half of a value may be meant as it is.
  ['value', '10', 'duration_ms:', ['100', '1000'], false],
  ['value', '', 'level:', ['error'], true],
  ['recent', '', '', ['level:error'], false],
])('Enter takes a %s after %j %j: %#', (kind, typed, before, labels, expected) => {
  expect(isTakenByEnter(kind, typed, before, labels)).toBe(expected)
})
