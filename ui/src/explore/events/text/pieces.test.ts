import { expect, test } from 'vitest'
import { showColoured, splitPieces } from './pieces'
import { writePattern } from './terms'

const MIXED = '\x1b[31mdisk full\x1b[0m on \x1b[1mweb-1\x1b[0m'

test('colours are kept beside a text that is the same as without them', () => {
  expect(showColoured(MIXED, false)).toEqual({
    text: 'disk full on web-1',
    looks: [
      { start: 0, end: 9, look: 'ansi-red' },
      { start: 13, end: 18, look: 'ansi-bold' },
    ],
  })
  expect(showColoured('plain', false)).toEqual({ text: 'plain', looks: [] })
  expect(showColoured('\x1b[31m\x1b[0m', false).text).toBe('<U+001B>[31m<U+001B>[0m')
})

test('what could act is seen inside of colours too', () => {
  expect(showColoured('\x1b[31ma\nb\u202ec\x1b[0m', false).text).toBe('a⏎b<U+202E>c')
})

test('a cut sequence at the end of a long text shows nothing of itself', () => {
  const { text } = showColoured(`${'x'.repeat(498)}\x1b[31mred`, false)
  expect(text).not.toContain('[31')
})

test('a text is cut by marks, by colours and by where the keyboard is', () => {
  const pieces = splitPieces(showColoured(MIXED, false), writePattern(['full on']), {
    text: 'web-1',
    start: 13,
    end: 18,
  })
  expect(pieces).toEqual([
    { text: 'disk ', isMark: false, isAt: false, look: 'ansi-red' },
    { text: 'full', isMark: true, isAt: false, look: 'ansi-red' },
    { text: ' on', isMark: true, isAt: false, look: '' },
    { text: ' ', isMark: false, isAt: false, look: '' },
    { text: 'web-1', isMark: false, isAt: true, look: 'ansi-bold' },
  ])
})
