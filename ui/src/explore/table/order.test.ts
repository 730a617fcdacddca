import { expect, test } from 'vitest'
import type { Json } from '../../api/json'
import { nextOrder, orderRows } from './order'

const values = (list: Json[], isDescending: boolean) =>
  orderRows(
    list.map((value, place) => ({ value, place })),
    { column: 'value', isDescending },
  ).map(({ value }) => value)

test('numbers are ordered by value, not as texts', () => {
  expect(values([10, 9, 1.5, 12345678901234567890n], false)).toEqual([1.5, 9, 10, 12345678901234567890n])
})

test('numbers come before texts, texts before booleans, nothing is last either way', () => {
  const mixed = [null, true, 'b', 2, 'A', false, 10]
  expect(values(mixed, false)).toEqual([2, 10, 'A', 'b', false, true, null])
  expect(values(mixed, true)).toEqual([true, false, 'b', 'A', 10, 2, null])
})

test('rows with equal values stay as they were, also backwards', () => {
  const rows = [{ a: 1, b: 'x' }, { a: 2, b: 'y' }, { a: 1, b: 'z' }, { b: 'v' }, { b: 'w' }]
  const order = (isDescending: boolean) => orderRows(rows, { column: 'a', isDescending }).map(({ b }) => b)
  expect(order(false)).toEqual(['x', 'z', 'y', 'v', 'w'])
  expect(order(true)).toEqual(['y', 'x', 'z', 'v', 'w'])
})

test('clicks go round: numbers largest first, texts from A', () => {
  const first = nextOrder(null, 'count', true)
  expect(first).toEqual({ column: 'count', isDescending: true })
  const second = nextOrder(first, 'count', true)
  expect(second).toEqual({ column: 'count', isDescending: false })
  expect(nextOrder(second, 'count', true)).toBeNull()
  expect(nextOrder(first, 'name', false)).toEqual({ column: 'name', isDescending: false })
})
