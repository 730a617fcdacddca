import { expect, test } from 'vitest'
import { stripAnsi } from './ansi'

test.each([
  ['plain text [31m stays', 'plain text [31m stays'],
  ['\x1b[31mred\x1b[0m', 'red'],
  ['\x1b[1;38;2;255;0;0mtrue colour\x1b[m', 'true colour'],
  ['\x9b32mgreen\x9b0m', 'green'],
  ['\x1b]0;a title\x07after', 'after'],
  ['\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['\x1bPdevice\x1b\\x', 'x'],
  ['a\x1b(Bb', 'ab'],
  ['\x1bcreset', 'reset'],
  ['\x1b[2K\x1b[1Gprogress 50%', 'progress 50%'],
  ['cut at the end \x1b[31', 'cut at the end '],
  ['cut \x1b', 'cut '],
  ['\x1b]0;never ends\nnext line', '\nnext line'],
  ['', ''],
])('takes the sequences out of %j', (text, expected) => {
  expect(stripAnsi(text)).toBe(expected)
})

test('is quick with many beginnings that never end', () => {
  expect(stripAnsi('\x1b]'.repeat(100_000))).toBe('')
})
