import { expect, test } from 'vitest'
import { listWords, splitWords, wordAt } from './words'

test.each([
  ['connection refused', ['connection', 'refused']],
  ['Error: disk full.', ['Error', 'disk', 'full']],
  ['took 1.5ms, 42% of 1e9', ['took', '1.5ms', '42', 'of', '1e9']],
  ['user=ann ip=10.0.0.1:5432', ['user', 'ann', 'ip', '10.0.0.1:5432']],
  ['at 2026-11-15T13:50:21.496Z', ['at', '2026-11-15T13:50:21.496Z']],
  ['12:30:45 done', ['12:30:45', 'done']],
  ['id 6f9619ff-8b86-d011-b42d-00c04fc964ff ok', ['id', '6f9619ff-8b86-d011-b42d-00c04fc964ff', 'ok']],
  ['"GET /api/v1/items?id=3&x=%20 HTTP/1.1" 404', ['GET', '/api/v1/items?id=3&x=%20', 'HTTP/1.1', '404']],
  ['open /var/log/syslog: denied', ['open', '/var/log/syslog', 'denied']],
  ['see https://example.com/a?b=c#d.', ['see', 'https://example.com/a?b=c#d']],
  ['in C:\\Users\\ann\\x.log here', ['in', 'C:\\Users\\ann\\x.log', 'here']],
  ['from 2001:db8::ff and 00:1b:44:11:3a:b7', ['from', '2001:db8::ff', 'and', '00:1b:44:11:3a:b7']],
  ['std::mutex in main.cc:42', ['std::mutex', 'in', 'main.cc:42']],
  ['level:info', ['level', 'info']],
  ["don't stop", ["don't", 'stop']],
  ["'quoted' (grouped) [listed]", ['quoted', 'grouped', 'listed']],
  ['{"a":1,"b_c":"x y"}', ['a', '1', 'b_c', 'x', 'y']],
  ['ann@example.com', ['ann@example.com']],
  ['Größe übergröße 日本語', ['Größe', 'übergröße', '日本語']],
  ['-> => --verbose', ['verbose']],
  ['com.shop.Pay$Handler.run(Pay.java:12)', ['com.shop.Pay', 'Handler.run', 'Pay.java:12']],
  ['', []],
  ['⏎ … !', []],
])('finds the words of %j', (text, expected) => {
  expect(listWords(text).map((word) => word.text)).toEqual(expected)
})

test('loses nothing of the text', () => {
  for (const text of ['a b', ' lead', 'trail ', '"x"=1;;/p/q', '👩‍👧 né́e', '\ud800 half']) {
    expect(
      splitWords(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
  }
})

test('finds the word around a place', () => {
  expect(wordAt('disk is full', 6)?.text).toBe('is')
  expect(wordAt('disk is full', 12)?.text).toBe('full')
  expect(wordAt('disk  full', 0)?.text).toBe('disk')
  expect(wordAt('a -- b', 3)).toBeNull()
  expect(wordAt('', 0)).toBeNull()
})

test('is quick with hostile text', () => {
  expect(listWords('a:'.repeat(50_000)).length).toBeGreaterThan(0)
  expect(listWords('/'.repeat(100_000)).length).toBe(1)
  expect(listWords('http://'.repeat(20_000)).length).toBeGreaterThan(0)
  expect(listWords('.'.repeat(50_000))).toEqual([])
  expect(listWords('/...'.repeat(20_000)).length).toBeGreaterThan(0)
})
