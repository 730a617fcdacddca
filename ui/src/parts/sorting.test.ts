import { expect, it } from 'vitest'
import { sortRows, type Column } from './sorting'

const rows = [{ size: 10 }, { size: null }, { size: 9 }]
const column: Column<{ size: number | null }> = { label: 'Size', sort: (row) => row.size }
const sizes = (isDescending: boolean) => sortRows(rows, column, isDescending).map((row) => row.size)

it('sorts numbers as numbers, those without one last either way', () => {
  expect(sizes(false)).toEqual([9, 10, null])
  expect(sizes(true)).toEqual([10, 9, null])
})

it('leaves the rows as they came without a column, and never changes them', () => {
  expect(sortRows(rows, undefined, true)).toBe(rows)
  expect(rows[0]).toEqual({ size: 10 })
})

it('sorts texts as people do', () => {
  const names = ['web-10', 'web-9', 'Api']
  expect(sortRows(names, { label: 'Name', sort: (name) => name }, false)).toEqual(['Api', 'web-9', 'web-10'])
})
