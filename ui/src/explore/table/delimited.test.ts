import { expect, test } from 'vitest'
import { writeDelimited } from './delimited'

test('cells with delimiters, quotes or lines are quoted', () => {
  const rows = [
    { a: 'x, "y"', b: 'one\ntwo', c: null },
    { a: 12345678901234567890n, b: [1, 'z'], c: true },
  ]
  expect(writeDelimited(['a', 'b', 'c'], rows, ',')).toBe(
    'a,b,c\r\n"x, ""y""","one\ntwo",\r\n12345678901234567890,"[1,""z""]",true\r\n',
  )
})

test('tabs delimit without quotes around commas', () => {
  expect(writeDelimited(['a', 'b'], [{ a: 'x, y', b: 'p\tq' }], '\t')).toBe('a\tb\r\nx, y\t"p\tq"\r\n')
})

test('a text that would be a formula is made harmless, a number stays', () => {
  const rows = [{ a: '=1+1' }, { a: '-5' }, { a: -5 }, { a: '@x' }, { a: '-rm' }]
  expect(writeDelimited(['a'], rows, ',').split('\r\n')).toEqual([
    'a',
    "'=1+1",
    '-5',
    '-5',
    "'@x",
    "'-rm",
    '',
  ])
})
