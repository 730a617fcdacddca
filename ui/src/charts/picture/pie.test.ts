import { expect, test } from 'vitest'
import type { Row } from '../../api/search'
import { cutPie, MAX_SLICES, outline } from './pie'
import type { Shape } from './picture'

const shape = (rows: Row[], keys: string[] = []): Shape => ({
  columns: Object.keys(rows[0] ?? {}),
  keys,
  show: (value) => String(value ?? ''),
})
const cut = (rows: Row[], keys: string[] = []) => cutPie(rows, shape(rows, keys))

test('groups are slices, the largest first, that fill the circle', () => {
  const rows = [
    { level: 'warn', count: 1 },
    { level: 'info', count: 3n },
    { level: null, count: 4 },
    { level: 'debug', count: 0 },
  ] as Row[]
  const slices = cut(rows, ['level']) ?? []
  expect(slices.map(({ label, value, share, start }) => [label, value, share, start])).toEqual([
    ['no value', 4, 0.5, 0],
    ['info', 3, 0.375, 0.5],
    ['warn', 1, 0.125, 0.875],
  ])
  expect(slices[2]?.mark).toEqual({ row: rows[0], column: 'count' })
})

test('numbers may be groups', () => {
  const slices = cut([{ status: 200, count: 5 }], ['status'])
  expect(slices?.map(({ label, share }) => [label, share])).toEqual([['200', 1]])
})

test('what is too many becomes one slice that leads nowhere', () => {
  const rows = Array.from({ length: MAX_SLICES + 60 }, (_, place) => ({
    host: `h${place}`,
    count: 100 - place,
  }))
  const slices = cut(rows, ['host']) ?? []
  expect(slices).toHaveLength(MAX_SLICES)
  const other = slices.at(-1)
  expect([other?.label, other?.groups, other?.mark]).toEqual(['other', 61, null])
  expect(slices.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
  expect(slices.reduce((sum, { value }) => sum + value, 0)).toBe(
    rows.reduce((sum, { count }) => sum + count, 0),
  )
})

test('as many as fit stay as they are', () => {
  const rows = Array.from({ length: MAX_SLICES }, (_, place) => ({ host: `h${place}`, count: 1 }))
  expect(cut(rows, ['host'])?.map(({ groups }) => groups)).toEqual(rows.map(() => 1))
})

const TIME = '2026-11-15T13:00:00Z'
test.each<[string, Row[], string[]]>([
  ['two keys', [{ a: 'x', b: 'y', count: 1 }], ['a', 'b']],
  ['two numbers', [{ a: 'x', count: 1, mean: 2 }], ['a']],
  ['no key', [{ count: 1 }], []],
  ['time', [{ _time: TIME, count: 1 }], ['_time']],
  [
    'a negative number',
    [
      { a: 'x', sum: 5 },
      { a: 'y', sum: -1 },
    ],
    ['a'],
  ],
  ['nothing but zeros', [{ a: 'x', count: 0 }], ['a']],
  ['no rows', [], []],
])('%s make no pie', (_, rows, keys) => {
  expect(cut(rows, keys)).toBeNull()
})

test('a slice is outlined clockwise from the top', () => {
  expect(outline({ start: 0, share: 0.25 })).toBe('M0,0L0.00000,-1.00000A1,1,0,0,1,1.00000,-0.00000Z')
  expect(outline({ start: 0.25, share: 0.75 })).toContain('A1,1,0,1,1,')
  expect(outline({ start: 0, share: 1 })).not.toContain('L')
})
