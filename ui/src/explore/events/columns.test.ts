import { expect, test } from 'vitest'
import { addWidths, dropColumn, layOut, moveColumn, writeTemplate } from './columns'

const namesOf = (chosen: string[]) => layOut(chosen, {}).map((column) => column.name)

test('shows the message when nothing is chosen', () => {
  expect(namesOf([])).toEqual(['_time', 'level', 'message'])
})

test('shows what is chosen, behind time and level, each once', () => {
  expect(namesOf(['service', 'level', 'host'])).toEqual(['_time', 'level', 'service', 'host'])
})

test('only what is chosen can be moved and taken away', () => {
  expect(layOut(['host'], {}).map((column) => column.isChosen)).toEqual([false, false, true])
})

test('keeps widths within bounds, and gives the rest to the last', () => {
  const columns = layOut(['host', 'service'], { host: 3, service: 99_999 })
  expect(columns.map((column) => column.width)).toEqual([198, 66, 48, 1600])
  expect(writeTemplate(columns)).toBe('198px 66px 48px minmax(1600px, 1fr)')
  expect(addWidths(columns)).toBe(198 + 66 + 48 + 1600)
})

test.each([
  ['b', -1, ['b', 'a', 'c']],
  ['b', 1, ['a', 'c', 'b']],
  ['a', -1, ['a', 'b', 'c']],
  ['c', 5, ['a', 'b', 'c']],
  ['x', 1, ['a', 'b', 'c']],
])('moves %s by %i', (name, step, expected) => {
  expect(moveColumn(['a', 'b', 'c'], name, step)).toEqual(expected)
})

test('drops a column onto the place of another', () => {
  expect(dropColumn(['a', 'b', 'c'], 'a', 'c')).toEqual(['b', 'c', 'a'])
  expect(dropColumn(['a', 'b', 'c'], 'c', 'a')).toEqual(['c', 'a', 'b'])
  expect(dropColumn(['a', 'b', 'c'], 'b', 'b')).toEqual(['a', 'b', 'c'])
})
