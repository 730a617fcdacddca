import { expect, test } from 'vitest'
import { judge } from './strength'

test.each([
  ['', 'too short'],
  ['Ab3$xyz', 'too short'],
  ['😀😀😀😀', 'too short'],
  ['password', 'weak'],
  ['Password12345', 'weak'],
  ['aaaaaaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['abcdefghijklmnop', 'weak'],
  ['98765432109876', 'weak'],
  ['kqzvbnwxhg', 'fair'],
  ['correct horse', 'fair'],
  ['correct horse battery staple', 'strong'],
  ['j8$Kq2!vR9#x', 'strong'],
])('judges %j as %s', (password, strength) => {
  expect(judge(password)).toBe(strength)
})

test('a password that is mostly the user name is weaker', () => {
  expect(judge('margarethe-zq7')).toBe('strong')
  expect(judge('Margarethe-zq7', 'margarethe')).toBe('weak')
})
