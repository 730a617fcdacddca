import { expect, test } from 'vitest'
import { readStructure, splitJson } from './structure'

test('JSON is found with the words around it', () => {
  expect(readStructure('saved {"a":{"b":[1,2]},"t":"}"} for ann')).toEqual([
    { kind: 'text', text: 'saved' },
    { kind: 'json', value: { a: { b: [1, 2] }, t: '}' } },
    { kind: 'text', text: 'for ann' },
  ])
  expect(readStructure('[{"id":5}]')).toEqual([{ kind: 'json', value: [{ id: 5 }] }])
  expect(readStructure('a {"x":1} b {"y":2}')?.map((part) => part.kind)).toEqual([
    'text',
    'json',
    'text',
    'json',
  ])
})

test('pairs are found behind words', () => {
  expect(readStructure('request done method=GET path=/a/b msg="all \\"well\\"" empty=')).toEqual([
    { kind: 'text', text: 'request done' },
    {
      kind: 'pairs',
      pairs: [
        ['method', 'GET'],
        ['path', '/a/b'],
        ['msg', 'all "well"'],
        ['empty', ''],
      ],
    },
  ])
})

test.each([
  '',
  'plain words',
  '[2026-11-14] [main] started {}',
  'list [1, 2, 3]',
  'a=1 b=2',
  'where a=1 and b=2 and c=3',
  '{"never closed": 1',
  'http://x/?a=1&b=2&c=3',
  '{'.repeat(5_000),
])('%j is words', (text) => {
  expect(readStructure(text)).toBeNull()
})

test('written JSON is cut into names, texts, numbers and words, and loses nothing', () => {
  const written = '{\n  "a b": -1.5e3,\n  "t": "x: \\" y",\n  "n": [null, true]\n}'
  const tokens = splitJson(written)
  expect(tokens.map((token) => token.text).join('')).toBe(written)
  expect(tokens.filter((token) => token.kind !== 'sign')).toEqual([
    { text: '"a b"', kind: 'name' },
    { text: '-1.5e3', kind: 'number' },
    { text: '"t"', kind: 'name' },
    { text: '"x: \\" y"', kind: 'text' },
    { text: '"n"', kind: 'name' },
    { text: 'null', kind: 'word' },
    { text: 'true', kind: 'word' },
  ])
})
