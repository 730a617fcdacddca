import { expect, test } from 'vitest'
import {
  addToQuery,
  invert,
  joinFilters,
  keepPinned,
  locateFilter,
  nameFilter,
  quote,
  readPill,
  writeName,
  writePill,
  writeTest,
} from './filters'

/** What the server's own parser was asked for these: each is read as the text between the bars. */
test.each([
  ['plain', '"plain"'],
  ['two words', '"two words"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['back\\slash', '"back\\\\slash"'],
  ['a\nb\tc\rd', '"a\\nb\\tc\\rd"'],
  ['\u0000\u007f', '"\\u0000\\u007f"'],
  ['“curly”', '"“curly”"'],
  ['emoji 😀', '"emoji 😀"'],
  ['', '""'],
])('quotes %j as %s', (text, quoted) => {
  expect(quote(text)).toBe(quoted)
})

test.each(['level', 'http.status', 'a/b', '@x', '$y', '_index', 'dash-ed', 'where', 'message'])(
  'writes the name %s as it is',
  (name) => {
    expect(writeName(name)).toBe(name)
  },
)

test.each([
  'and',
  'OR',
  'in',
  'index',
  'Env',
  '_time',
  '@timestamp',
  'by',
  '1a',
  '-a',
  'a b',
  'ü',
  '',
  '*',
  'a:b',
])('quotes the name %j', (name) => {
  expect(writeName(name)).toBe(`"${name}"`)
})

test.each([
  ['level', 'error', 'level:="error"'],
  ['status', 503, 'status:="503"'],
  ['id', 9007199254740993n, 'id:="9007199254740993"'],
  ['is_admin', true, 'is_admin:="true"'],
  ['user agent', 'a "b"', '"user agent":="a \\"b\\""'],
  ['tags', ['a', 'b'], 'tags:="a" AND tags:="b"'],
  ['tags', ['a'], 'tags:="a"'],
  ['user', null, 'NOT user:*'],
])('tests %s for %s', (field, value, text) => {
  expect(writeTest(field, value)).toBe(text)
})

test('what a value excludes is the opposite of what it includes', () => {
  for (const value of ['x', 1, false, null, ['a', 'b'], 'a) "b']) {
    expect(invert(writeTest('f', value, false))).toBe(writeTest('f', value))
  }
})

test.each([
  ['error', 'NOT error'],
  ['level:="error"', 'NOT level:="error"'],
  ['"a) OR (b"', 'NOT "a) OR (b"'],
  ['user:*', 'NOT user:*'],
  ['a OR b', 'NOT (a OR b)'],
  ['NOT a OR b', 'NOT (NOT a OR b)'],
  ['NOT (a) OR (b)', 'NOT (NOT (a) OR (b))'],
  ['host IN (a, b)', 'NOT (host IN (a, b))'],
  ['path:/v[0-9]+/', 'NOT (path:/v[0-9]+/)'],
  ['-a', 'NOT (-a)'],
  ['"x y"z', 'NOT ("x y"z)'],
  ['not', 'NOT (not)'],
  ['{a="b"}', 'NOT ({a="b"})'],
])('the opposite of %s is %s, and that of it the first again', (text, opposite) => {
  expect(invert(text)).toBe(opposite)
  expect(invert(opposite)).toBe(text)
})

test('the opposite holds whatever a filter ends with', () => {
  expect(invert('a b\\')).toBe('NOT (a b\\\\)')
  expect(invert('# why\na b')).toBe('NOT (\n# why\na b\n)')
  expect(invert('# nothing')).toBe('NOT (*)')
  expect(invert('NOT (#a)')).toBe('NOT (NOT (#a))')
})

test('joins the filters that are on, and finds them again by place', () => {
  const filters = [
    { text: 'a OR b', isEnabled: true },
    { text: 'c', isEnabled: false },
    { text: '😀 d', isEnabled: true },
    { text: 'e', isEnabled: true },
  ]
  expect(joinFilters(filters)).toBe('(a OR b) AND (😀 d) AND (e)')
  const places = [...joinFilters(filters)].map((_, position) => locateFilter(filters, position))
  expect([places[0], places[7], places[13], places[17], places[23]]).toEqual([0, 0, 2, 2, 3])
  expect(locateFilter(filters, 99)).toBe(-1)
})

test.each([
  ['a', '', 'a'],
  ['a', '*', 'a'],
  ['a', 'b OR c', '(a) AND (b OR c)'],
  ['a OR b', 'c | stats count', '(a OR b) AND (c) | stats count'],
  ['a', '* | stats count', 'a | stats count'],
])('puts %s into the query %j', (filter, query, joined) => {
  expect(addToQuery(filter, query)).toBe(joined)
})

test.each(['+level:error', '-level:error', '!+a', '!-a', '+!a', '-+a', '!+!a', '+'])(
  'reads and writes %s of the address',
  (written) => {
    expect(writePill(readPill(written))).toBe(written)
  },
)

test('a pill says in the address whether it is on and pinned', () => {
  expect(readPill('!-a')).toEqual({ text: 'a', isEnabled: false, isPinned: true })
  expect(readPill('+!a')).toEqual({ text: '!a', isEnabled: true })
})

test('pinned filters stay in front of those of another query, each once', () => {
  const present = [
    { text: 'a', isEnabled: true },
    { text: 'b', isEnabled: false, isPinned: true },
    { text: 'c', isEnabled: true, isPinned: true },
  ]
  const wanted = [
    { text: 'c', isEnabled: true },
    { text: 'd', isEnabled: true },
  ]
  expect(keepPinned(present, wanted).map(writePill)).toEqual(['!-b', '!+c', '+d'])
  expect(keepPinned(present, []).map(writePill)).toEqual(['!-b', '!+c'])
})

test.each([
  ['message:pattern("took <num> ms")', 'pattern: took <num> ms'],
  ['NOT message:pattern("took <num> ms")', 'not pattern: took <num> ms'],
  ['log:pattern("a \\"b\\""*)', 'pattern of log: a "b"…'],
  ['"user agent":pattern("x")', 'pattern of "user agent": x'],
  ['level:=error', 'level:=error'],
  ['message:pattern("a") OR b', 'message:pattern("a") OR b'],
])('%s is called %s', (text, name) => {
  expect(nameFilter(text)).toBe(name)
})

test('the opposite of a pattern needs no parentheses', () => {
  expect(invert('message:pattern("a (b"*)')).toBe('NOT message:pattern("a (b"*)')
  expect(invert('NOT message:pattern("a")')).toBe('message:pattern("a")')
})
