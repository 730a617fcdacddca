import { expect, test } from 'vitest'
import { makePatternFilter, splitPattern } from './filter'

/** The expression of a filter as JavaScript reads it. */
function readExpression(pattern: string): RegExp {
  const filter = makePatternFilter(pattern) ?? ''
  const quoted = /^message=~("(?:[^"\\]|\\.)*")/.exec(filter)?.[1] ?? '""'
  return new RegExp(JSON.parse(quoted) as string)
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

test('numbers that could be a time are no time', () => {
  expect(makePatternFilter('x <num>:<num>:<num>')).toContain(' NOT message=~')
  expect(makePatternFilter('x <num>:<num>')).not.toContain(' NOT ')
})

test('the filter is of the field that the pattern was made of', () => {
  expect(makePatternFilter('a', 'user agent')).toBe('"user agent"=~"^a$"')
})

test('the end of a line that stands in for a message does not count', () => {
  expect(makePatternFilter('a', 'log')).toBe('log=~"^a[\\\\r\\\\n]*$"')
})

test('a pattern that is too long has no filter', () => {
  expect(makePatternFilter('<time> '.repeat(20))).toBeNull()
})
