import { expect, test } from 'vitest'
import type { EventRow, Row } from '../../../api/search'
import { layOutTrace, readDuration, readMoment } from './spans'

function make(id: string, milliseconds: number, more: Row = {}): EventRow {
  const _time = new Date(Date.UTC(2026, 0, 1) + milliseconds).toISOString()
  return { _id: id, _time, _env: 'e', _index: 'i', ...more }
}

const shape = (rows: EventRow[]) =>
  layOutTrace(rows).spans.map(({ row, start, end, depth }) => [row._id, depth, start, end])

test('spans lie inside their parents, the oldest first', () => {
  const rows = [
    make('root', 100, { span_id: 'a', duration_ms: 100 }),
    make('late', 90, { span_id: 'c', parent_span_id: 'a', duration_ms: 30 }),
    make('early', 50, { span_id: 'b', parent_span_id: 'a', duration_ms: 40 }),
    make('inner', 40, { span_id: 'd', parent_span_id: 'b', duration_ms: 10 }),
    make('said', 20, { span_id: 'b' }),
  ]
  expect(shape(rows)).toEqual([
    ['root', 0, 0, 100],
    ['early', 1, 10, 50],
    ['said', 2, 20, 20],
    ['inner', 2, 30, 40],
    ['late', 1, 60, 90],
  ])
  expect(layOutTrace(rows).length).toBe(100)
})

test('without spans events are in the order of time', () => {
  expect(shape([make('b', 20), make('a', 10)])).toEqual([
    ['a', 0, 0, 0],
    ['b', 0, 10, 10],
  ])
  expect(layOutTrace([])).toEqual({ spans: [], length: 0 })
})

test('spans in a circle and spans of nobody are shown once each', () => {
  const rows = [
    make('a', 1, { spanId: 'a', parentSpanId: 'b' }),
    make('b', 2, { spanId: 'b', parentSpanId: 'a' }),
    make('c', 3, { spanId: 'c', parentSpanId: 'c' }),
    make('d', 4, { spanId: 'd', parentSpanId: 'gone' }),
  ]
  expect(
    shape(rows)
      .map(([id]) => id)
      .sort(),
  ).toEqual(['a', 'b', 'c', 'd'])
})

test.each([
  [{ duration_ms: 12.5 }, 12.5],
  [{ duration: 7 }, 7],
  [{ 'http.duration_us': 1500 }, 1.5],
  [{ elapsed_seconds: 2 }, 2000],
  [{ latency_ns: 1_000_000n }, 1],
  [{ took_micros: 500 }, 0.5],
  [{ duration: 'long' }, null],
  [{ duration_ms: -1 }, null],
  [{ status: 200 }, null],
])('%o took %s ms', (row, expected) => {
  expect(readDuration(row)).toBe(expected)
})

test('moments keep their digits', () => {
  expect(readMoment('2026-01-01T00:00:00.001500Z') - readMoment('2026-01-01T00:00:00.001Z')).toBeCloseTo(
    0.5,
    3,
  )
})
