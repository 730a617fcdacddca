import { expect, test } from 'vitest'
import { joinRows } from './joining'

const make = (...ids: string[]) => ids.map((id) => ({ _id: id }))

test('what arrived is above what was found, each event once', () => {
  expect(joinRows(make('d', 'c', 'b'), make('b', 'a'))).toEqual(make('d', 'c', 'b', 'a'))
})

test('the list stays the same as long as nothing is new', () => {
  const found = make('b', 'a')
  expect(joinRows([], found)).toBe(found)
  expect(joinRows(make('a'), found)).toBe(found)
})
