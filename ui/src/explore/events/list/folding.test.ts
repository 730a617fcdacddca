import { expect, test } from 'vitest'
import type { Row } from '../../../api/search'
import { foldRows, isLike, lineOf } from './folding'

const make = (id: string, message: string, more: Row = {}): Row => ({
  _id: id,
  message,
  level: 'info',
  ...more,
})
const ROWS = [make('a', 'x'), make('b', 'y'), make('c', 'y'), make('d', 'y'), make('e', 'x')]

test('like neighbours are one line, and all of them once they are unfolded', () => {
  expect(foldRows(ROWS, [], new Set()).map(({ place, repeats }) => [place, repeats])).toEqual([
    [0, 1],
    [1, 3],
    [4, 1],
  ])
  const unfolded = foldRows(ROWS, [], new Set(['b']))
  expect(unfolded.map(({ place, repeats, isUnfolded }) => [place, repeats, isUnfolded])).toEqual([
    [0, 1, false],
    [1, 3, true],
    [2, 1, false],
    [3, 1, false],
    [4, 1, false],
  ])
})

test('what is seen to differ is not like', () => {
  const one = make('a', 'x', { status: 200 })
  expect(isLike(one, make('b', 'x', { status: 500 }), [])).toBe(true)
  expect(isLike(one, make('b', 'x', { status: 500 }), ['status'])).toBe(false)
  expect(isLike(one, make('b', 'x', { level: 'error' }), [])).toBe(false)
  expect(isLike(one, make('b', 'x', { host: 'web-1' }), [])).toBe(false)
  expect(isLike({ a: 1 }, { a: 1 }, [])).toBe(false)
  expect(isLike({ log: 'x\n' }, { log: 'x\n' }, [])).toBe(true)
})

test('the line of a row that is folded away is the one that stands for it', () => {
  const lines = foldRows(ROWS, [], new Set())
  expect([-1, 0, 1, 3, 4].map((place) => lineOf(lines, place))).toEqual([-1, 0, 1, 1, 2])
  expect(lineOf([], 0)).toBe(-1)
})
