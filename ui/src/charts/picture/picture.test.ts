import { expect, test } from 'vitest'
import type { Row } from '../../api/search'
import { drawTable, findBuckets, findSpread, stackSeries, type Picture, type Shape } from './picture'

const shape = (rows: Row[], keys: string[] = []): Shape => ({
  columns: Object.keys(rows[0] ?? {}),
  keys,
  show: (value) => String(value ?? ''),
})
const draw = (rows: Row[], keys: string[] = []) => drawTable(rows, shape(rows, keys)) as Picture
const time = (minute: number) => `2026-11-15T13:0${minute}:00Z`

test('a column of time lies along the chart, the numbers are its series', () => {
  const picture = draw([
    { _time: time(1), info: 2, error: 1 },
    { _time: time(0), info: 5, error: null },
  ])
  expect(picture.axis).toBe('time')
  expect(picture.times).toEqual([Date.parse(time(0)), Date.parse(time(1))])
  expect(picture.series.map(({ name, values }) => [name, values])).toEqual([
    ['info', [5, 2]],
    ['error', [null, 1]],
  ])
})

test('groups beside time become series, the largest first, with gaps where there is no row', () => {
  const rows = [
    { _time: time(0), service: 'a', count: 1 },
    { _time: time(0), service: 'b', count: 7 },
    { _time: time(1), service: 'a', count: 2 },
  ]
  const picture = draw(rows, ['_time', 'service'])
  expect(picture.series.map(({ name, values }) => [name, values])).toEqual([
    ['b', [7, null]],
    ['a', [1, 2]],
  ])
  expect(picture.series[1]?.marks[1]).toEqual({ row: rows[2], column: 'count' })
})

test('a text that reads like no value is a series of its own', () => {
  const rows = [
    { _time: time(0), service: 'no value', count: 2 },
    { _time: time(0), service: null, count: 1 },
  ]
  expect(draw(rows, ['_time', 'service']).series.map(({ name }) => name)).toEqual(['"no value"', 'no value'])
})

test('several aggregates of groups over time are told apart', () => {
  const picture = draw([{ _time: time(0), host: 'a', count: 1, 'avg(x)': 0.5 }], ['_time', 'host'])
  expect(picture.series.map(({ name }) => name)).toEqual(['count: a', 'avg(x): a'])
})

test('without time the groups lie along the chart, also if they are numbers', () => {
  const picture = draw(
    [
      { status: 200, count: 5 },
      { status: null, count: 2 },
    ],
    ['status'],
  )
  expect(picture.axis).toBe('category')
  expect(picture.labels).toEqual(['200', 'no value'])
  expect(picture.series.map(({ name }) => name)).toEqual(['count'])
})

test('where groups are not known, texts are what numbers are of', () => {
  expect(draw([{ step: 'read', detail: 'x', rows: 3 }]).labels).toEqual(['read · x'])
  expect(
    draw([
      { a: 1, b: 2 },
      { a: 2, b: 3 },
    ]).labels,
  ).toEqual(['1', '2'])
})

test('a single row of numbers has no axis', () => {
  const picture = draw([{ count: 5, 'avg(x)': 1.5 }])
  expect(picture.axis).toBe('none')
  expect(picture.series.map(({ name, values }) => [name, values])).toEqual([
    ['count', [5]],
    ['avg(x)', [1.5]],
  ])
})

test('no more than sixty series and fifty places are shown, and it is said', () => {
  const wide = Object.fromEntries(Array.from({ length: 63 }, (_each, place) => [`s${place}`, place]))
  expect(draw([{ _time: time(0), ...wide }]).leftOut).toEqual({ series: 3, places: 0 })
  const long = Array.from({ length: 60 }, (_each, place) => ({ name: `n${place}`, count: place }))
  expect(draw(long, ['name']).leftOut).toEqual({ series: 0, places: 10 })
})

test('a table without numbers says why it is no chart', () => {
  expect(drawTable([{ a: 'x' }], shape([{ a: 'x' }]))).toBe('The table has no numeric column to draw.')
  expect(drawTable([], shape([]))).toBe('The table has no rows.')
})

test('only what can be added up is stacked', () => {
  const rows = [{ _time: time(0), a: 1, b: 2 }]
  expect((drawTable(rows, shape(rows), ['count']) as Picture).isStackable).toBe(true)
  expect((drawTable(rows, shape(rows), ['avg(x)']) as Picture).isStackable).toBe(false)
  expect(draw([{ service: 'a', counter: 1 }], ['service']).isStackable).toBe(false)
})

test('values that became columns are ranked by their sum, the rest comes last', () => {
  const rows = [{ _time: time(0), a: 1, OTHER: 99, b: 5, NULL: 50, c: 3 }]
  const picture = drawTable(rows, shape(rows), ['sum(x)']) as Picture
  expect(picture.series.map(({ name }) => name)).toEqual(['b', 'c', 'a', 'OTHER', 'NULL'])
  const aggregates = drawTable(rows, shape(rows)) as Picture
  expect(aggregates.series[0]?.name).toBe('a')
})

test('series with numbers for names are the buckets of a heatmap', () => {
  const [rows] = [[{ _time: time(0), '16': 1, '0.5': 2, OTHER: 3, '128': 4 }]]
  const { series } = drawTable(rows, shape(rows)) as Picture
  expect(findBuckets(series).map(({ bound }) => bound)).toEqual([0.5, 16, 128])
})

test('the text of a query tells what its columns stand for', () => {
  expect(findSpread('* | timechart count by level')).toEqual(['count'])
  expect(findSpread('a | timechart span=5m limit=5 p95(duration_ms) by service')).toEqual([
    'p95(duration_ms)',
  ])
  expect(findSpread('a | timechart 5m count by x')).toEqual(['count'])
  expect(findSpread('* | timechart count')).toEqual([])
  expect(findSpread('* | stats count by level')).toEqual([])
})

test('stacked series stand on those after them', () => {
  const series = [
    { name: 'a', values: [1, null], marks: [] },
    { name: 'b', values: [2, 3], marks: [] },
  ]
  expect(stackSeries(series)).toEqual([
    [3, 3],
    [2, 3],
  ])
})
