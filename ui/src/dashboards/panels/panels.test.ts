import { expect, test } from 'vitest'
import type { Dashboard, Panel } from '../../api/dashboards'
import type { Answer } from '../../api/search'
import {
  chooseKind,
  exportDashboard,
  findFreeName,
  placePanel,
  readExport,
  readKind,
  readText,
} from './panels'

const answer = (columns: string[], rows = 2, type: 'events' | 'table' = 'table') =>
  ({ type, columns, rows: Array.from({ length: rows }, () => ({})) }) as Answer

test('an answer is shown as was chosen, if it can be', () => {
  expect(chooseKind('pie', answer(['a', 'count']))).toBe('pie')
  expect(chooseKind('pie', answer(['_time'], 2, 'events'))).toBe('logs')
  expect(chooseKind('logs', answer(['a', 'count']))).toBe('table')
  expect(chooseKind(null, answer(['_time', 'count']))).toBe('line')
  expect(chooseKind(null, answer(['count'], 1))).toBe('single')
  expect(chooseKind(null, answer(['pattern', 'count', 'share']))).toBe('patterns')
})

test('nonsense in a chart is no kind and no text', () => {
  for (const kind of ['<b>', 7, null, {}, 'toString']) expect(readKind({ kind })).toBeNull()
  expect(readText({ text: { a: 1 } })).toBe('')
})

test('a new panel stands below all others', () => {
  const first = placePanel([], { title: 'a', query: '', chart: { kind: 'single' } })
  const second = placePanel([first], { title: 'b', query: '', chart: {} })
  expect([first.y, second.y, second.w]).toEqual([0, 4, 12])
})

test('what is exported can be imported under a free name', () => {
  const panels = [placePanel([], { title: 'a', query: 'x', chart: {} })] satisfies Panel[]
  const kept = {
    id: '1',
    owner: 'ann',
    created: '',
    updated: '',
    name: 'Shop',
    panels,
  } as unknown as Dashboard
  const text = exportDashboard(kept)
  expect(text).not.toContain('"owner"')
  expect(readExport(text, ['shop'])).toEqual({ name: 'Shop (2)', panels })
  expect(findFreeName('Shop', ['Shop', 'shop (2)'])).toBe('Shop (3)')
})

test.each(['', '[]', 'null', '{}', '{"name":7}', '<html>'])('%s is no dashboard', (text) => {
  expect(() => readExport(text, [])).toThrow('The file is not')
})
