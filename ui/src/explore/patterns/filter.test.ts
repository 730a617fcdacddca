import { expect, test } from 'vitest'
import { makePatternFilter, splitPattern, writeExpression } from './filter'

/** The expression as JavaScript reads it. */
function readExpression(pattern: string): RegExp {
  return new RegExp(writeExpression(pattern, 'message', (number) => `v${number}`) ?? '^$')
}

test('a pattern falls into constant and variable parts', () => {
  expect(splitPattern('took <num>ms <unnamed> <ip>')).toEqual([
    { text: 'took ', isVariable: false },
    { text: '<num>', isVariable: true },
    { text: 'ms <unnamed> ', isVariable: false },
    { text: '<ip>', isVariable: true },
  ])
})

test.each([
  [
    'took <num> s',
    ['took 5 s', 'took 1.5 s', 'took 1.2.3 s', 'took <num> s'],
    ['took x s', 'took 1.2.3.4 s', 'took 5 sec'],
  ],
  ['ue<num>', ['ue12', 'ue0000'], ['ue1', 'ue1.5', 'ue']],
  ['id <hex>', ['id deadbeef', 'id 1234567a', 'id 0x1f', 'id 12345678abc'], ['id 12345678', 'id abc']],
  ['v <num>', ['v 20261115.1.2.3', 'v 1.2.3.4567'], ['v 10.0.0.1', 'v 1.2.3.4.5678']],
  ['<ip> up', ['10.0.0.1 up', '10.0.0.1:80 up', 'fe80::1 up'], ['10.0.0 up']],
  [
    'at <time>',
    ['at 2026-11-15', 'at 13:04:05,123', 'at Nov 15 13:04:05', 'at 2026-11-15T13:04Z'],
    ['at 1:2:3'],
  ],
  ['<str> and <str>', ['"a" and \'b\'', '"" and ""'], ['"a" and "b" and "c"']],
  ['<duration>!', ['5ms!', '1h30m!', '1.5µs!'], ['5!', '5 ms!']],
  ['a.b (x|y)* [z] {q} ^$ \\d+ <num>', ['a.b (x|y)* [z] {q} ^$ \\d+ 7'], ['aXb (x|y)* [z] {q} ^$ \\d+ 7']],
])('%s stands for its texts only', (pattern, texts, others) => {
  const expression = readExpression(pattern)
  expect(texts.filter((text) => !expression.test(text))).toEqual([])
  expect(others.filter((text) => expression.test(text))).toEqual([])
})

test('the filter names the field that the pattern was made of', () => {
  expect(makePatternFilter('took <num> ms')).toBe('message:pattern("took <num> ms")')
  expect(makePatternFilter('say "a"', 'user agent')).toBe('"user agent":pattern("say \\"a\\"")')
  expect(makePatternFilter('')).toBe('message:=""')
})

test('a long pattern is told by how it begins, whole variables and characters only', () => {
  expect(makePatternFilter('x'.repeat(300))).toBe(`message:pattern("${'x'.repeat(200)}"*)`)
  expect(makePatternFilter(`${'x'.repeat(197)}<num> and more`)).toBe(`message:pattern("${'x'.repeat(197)}"*)`)
  expect(makePatternFilter(`${'x'.repeat(199)}😀`)).toBe(`message:pattern("${'x'.repeat(199)}"*)`)
})

test('the end of a line that stands in for a message does not count', () => {
  expect(writeExpression('a', 'log', String)).toBe('^a[\\r\\n]*$')
})

test('a pattern that is too long has no expression', () => {
  expect(writeExpression('<time> '.repeat(20), 'message', String)).toBeNull()
})
