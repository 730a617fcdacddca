import { expect, test } from 'vitest'
import { readRuns } from './colours'

test.each<[string, [string, string][]]>([
  ['plain', [['plain', '']]],
  [
    '\x1b[31mred\x1b[0m rest',
    [
      ['red', 'ansi-red'],
      [' rest', ''],
    ],
  ],
  [
    '\x1b[1;32mok\x1b[22m still\x1b[39m plain',
    [
      ['ok', 'ansi-green ansi-bold'],
      [' still', 'ansi-green'],
      [' plain', ''],
    ],
  ],
  ['\x1b[m\x1b[90mgrey', [['grey', 'ansi-grey']]],
  ['\x1b[91mbright', [['bright', 'ansi-red']]],
  ['\x1b[41;37mwhite on red', [['white on red', 'ansi-white ansi-on-red']]],
  ['\x1b[38;5;208morange', [['orange', 'ansi-red']]],
  ['\x1b[38;5;46mgreen', [['green', 'ansi-green']]],
  ['\x1b[38;5;244mgrey', [['grey', 'ansi-grey']]],
  ['\x1b[38;2;250;240;10myellow', [['yellow', 'ansi-yellow']]],
  ['\x1b[38;2;1;2;3;4mblack', [['black', 'ansi-black ansi-underlined']]],
  ['\x1b[7mreversed\x1b[27m', [['reversed', 'ansi-reversed']]],
  ['\x9b36mcyan', [['cyan', 'ansi-cyan']]],
  ['\x1b[2K\x1b[1Ggone \x1b]0;title\x07stays', [['gone stays', '']]],
  ['\x1b[999;38;48mnot known', [['not known', '']]],
  ['', []],
])('reads %j', (text, expected) => {
  expect(readRuns(text).map(({ text: shown, look }) => [shown, look])).toEqual(expected)
})

test('is quick with many sequences', () => {
  expect(readRuns('\x1b[31mx'.repeat(20_000))).toHaveLength(20_000)
})
