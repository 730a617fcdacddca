import { expect, test } from 'vitest'
import { cut, showLine, showRaw, showText } from './harmless'

test.each([
  ['plain\ttext', 'plain\ttext'],
  ['one\ntwo', 'one\ntwo'],
  ['one\r\ntwo', 'one\ntwo'],
  ['over\rwritten', 'over<U+000D>written'],
  ['nul\0 bell\x07 del\x7f', 'nul<U+0000> bell<U+0007> del<U+007F>'],
  ['user \u202egpj.exe\u202c', 'user <U+202E>gpj.exe<U+202C>'],
  ['\u2066isolated\u2069', '<U+2066>isolated<U+2069>'],
  ['\ufeffmarked', '<U+FEFF>marked'],
  ['family 👩‍👩‍👧 stays', 'family 👩‍👩‍👧 stays'],
  ['\x1b[31mred\x1b[0m', 'red'],
  ['\x1b[0m\x1b[K', '<U+001B>[0m<U+001B>[K'],
  ['', ''],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
])('shows %j without acting on it', (text, expected) => {
  expect(showText(text)).toBe(expected)
})

test('shows all lines on one', () => {
  expect(showLine('a\r\nb\nc\td')).toBe('a⏎b⏎c d')
})

test('cuts text that is too long, never inside a pair', () => {
  expect(cut('abc', 3)).toBe('abc')
  expect(cut('abcd', 3)).toBe('abc…')
  expect(cut('ab😀', 3)).toBe('ab…')
})

test('raw text shows its escapes too', () => {
  expect(showRaw('\x1b[31mred\x1b[0m\nnext')).toBe('<U+001B>[31mred<U+001B>[0m\nnext')
})
