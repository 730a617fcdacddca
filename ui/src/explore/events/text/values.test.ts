import { expect, test } from 'vitest'
import { kindOf, listOwnNames, pick, writeValue, writeValueTest } from './values'

test('finds a field in any case', () => {
  expect(pick({ Foo: 1 }, 'foo')).toBe(1)
  expect(pick({ foo: false }, 'FOO')).toBe(false)
  expect(pick({ a: 1 }, 'b')).toBeUndefined()
})

test('writes texts as they are and all else as JSON, with every digit', () => {
  expect(writeValue('a "b"')).toBe('a "b"')
  expect(writeValue(1234567890123456789n)).toBe('1234567890123456789')
  expect(writeValue([1, 'a', null])).toBe('[1,"a",null]')
  expect(writeValue(true)).toBe('true')
  expect(writeValue(undefined)).toBe('')
})

test('tests a list by all of its values, each once', () => {
  expect(writeValueTest('tags', ['a'], true)).toBe('tags:="a"')
  expect(writeValueTest('tags', ['a', 'b', 'a'], true)).toBe('tags:="a" AND tags:="b"')
  expect(writeValueTest('tags', ['a', 'b'], false)).toBe('NOT (tags:="a" AND tags:="b")')
  expect(writeValueTest('n', 5, false)).toBe('NOT n:="5"')
})

test('names the kinds', () => {
  expect([1, 1n, 'x', true, null, [], {}].map(kindOf)).toEqual([
    'number',
    'number',
    'text',
    'boolean',
    'none',
    'list',
    'object',
  ])
})

test('leaves out the fields of the service', () => {
  expect(listOwnNames({ _time: 'x', level: 'a', _id: '1', b: 2 })).toEqual(['level', 'b'])
})
