import { expect, test } from 'vitest'
import { addWidths, dropColumn, layOut, moveColumn, writeTemplate } from './columns'

const namesOf = (chosen: string[], service: string | null = null) =>
  layOut(chosen, {}, service).map((column) => column.name)

test('shows the message when nothing is chosen', () => {
  expect(namesOf([])).toEqual(['_time', 'level', 'message'])
})

test('shows what is chosen between time and message, each once', () => {
  expect(namesOf(['service', 'level', 'host', 'message'])).toEqual([
    '_time',
    'level',
    'service',
    'host',
    'message',
  ])
})

test('shows the service by itself, unless it was chosen', () => {
  expect(namesOf(['status'], 'service')).toEqual(['_time', 'level', 'service', 'status', 'message'])
  expect(namesOf(['status', 'service'], 'service')).toEqual([
    '_time',
    'level',
    'status',
    'service',
    'message',
  ])
  const labels = (service: string) => layOut([], {}, service).map((column) => column.label)
  expect(labels('service')).toEqual(['Time', 'Level', 'Service', 'Message'])
  expect(labels('host')).toEqual(['Time', 'Level', 'host', 'Message'])
})

test('only what is chosen can be moved and taken away', () => {
  expect(layOut(['host'], {}, 'service').map((column) => column.isChosen)).toEqual([
    false,
    false,
    false,
    true,
    false,
  ])
})

test('keeps widths within bounds, and gives the rest to the message', () => {
  const columns = layOut(['host', 'service'], { host: 3, service: 99_999 }, null)
  expect(columns.map((column) => column.width)).toEqual([198, 66, 48, 1600, 160])
  expect(writeTemplate(columns)).toBe('198px 66px 48px 1600px minmax(160px, 1fr)')
  expect(addWidths(columns)).toBe(198 + 66 + 48 + 1600 + 160)
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
