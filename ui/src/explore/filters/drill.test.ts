import { expect, test } from 'vitest'
import type { Row } from '../../api/search'
import { findEvents, findSpan, findStep, testCell, testKey } from './drill'
import type { Groups, Key } from './groups'

const key = (field: string, bucket: string | null = null, prefixBits: number | null = null): Key => ({
  field,
  bucket,
  prefixBits,
})
const group = (part: Partial<Groups>): Groups => ({
  query: 'level:error',
  hasPipes: false,
  keys: [],
  spread: null,
  patternField: null,
  ...part,
})
const cell = (row: Row, column: string, step = Infinity) => ({
  row,
  column,
  columns: Object.keys(row),
  step,
  zone: 'UTC',
})

test.each([
  [key('service'), 'api', 'service:="api"'],
  [key('service'), null, 'NOT service:*'],
  [key('size', '10KB'), 20000, 'size>=20000 size<30000'],
  [key('size', '1KiB'), 0, 'size>=0 size<1024'],
  [key('took', '100ms'), 0.2, 'took>=0.2 took<0.3'],
  [key('status', '100'), 500, 'status>=500 status<600'],
  [key('size', '10KB'), null, 'NOT size>=-1e308'],
  [key('ip', null, 24), '10.1.2.0/24', 'ip:10.1.2.0/24'],
  [key('ip', null, 24), null, 'NOT (ip:0.0.0.0/0 OR ip:::/0)'],
])('a group of %o with %o is %s', (asked, value, filter) => {
  expect(testKey(asked, value)).toBe(filter)
})

test('a row leads to the events of all its keys, and their time', () => {
  const row = { service: 'api', _time: '2026-11-15T13:05:00Z', count: 3 }
  const groups = group({ keys: [key('service'), key('_time', '5m')] })
  expect(findEvents(groups, cell(row, 'count'))).toEqual({
    query: 'level:error',
    filters: ['service:="api"'],
    span: { from: Date.parse('2026-11-15T13:05:00Z'), to: Date.parse('2026-11-15T13:10:00Z') },
  })
})

test('fields that pipes made are tested after them', () => {
  const groups = group({ query: '* | eval a = b', hasPipes: true, keys: [key('a')] })
  expect(findEvents(groups, cell({ a: 1, count: 2 }, 'count'))).toEqual({
    query: '* | eval a = b | where a:="1"',
    filters: [],
    span: null,
  })
})

test('a query for everything is shown as an empty one', () => {
  expect(findEvents(group({ query: '*' }), cell({ count: 3 }, 'count'))?.query).toBe('')
})

const SPREAD = group({ keys: [key('_time', '')], spread: { field: 'level', aggregates: ['count'] } })
const SPREAD_ROW = { _time: '2026-11-15T13:00:00Z', info: 3, error: 1, OTHER: 2, NULL: 4 }

test.each([
  ['info', 'level:"info"'],
  ['NULL', 'NOT level:*'],
  ['OTHER', 'level:* NOT level IN ("info", "error")'],
  ['_time', null],
])('the column %s of a timechart is %s', (column, filter) => {
  expect(testCell(SPREAD, cell(SPREAD_ROW, column))).toBe(filter)
})

test('the texts null and other are told from no value and from the rest', () => {
  const row = { _time: '', '"null"': 3, '""Other""': 1, OTHER: 2, NULL: 4 }
  expect(testCell(SPREAD, cell(row, '"null"'))).toBe('level:"null"')
  expect(testCell(SPREAD, cell(row, '""Other""'))).toBe(String.raw`level:"\"Other\""`)
  expect(testCell(SPREAD, cell(row, 'NULL'))).toBe('NOT level:*')
  expect(testCell(SPREAD, cell(row, 'OTHER'))).toBe(String.raw`level:* NOT level IN ("null", "\"Other\"")`)
})

test('columns of several aggregates are named by value after the aggregate', () => {
  const groups = group({ spread: { field: 'host', aggregates: ['count', 'avg(size)'] } })
  const row = { _time: '', 'count: a: b': 1, 'avg(size): a: b': 2 }
  expect(testCell(groups, cell(row, 'avg(size): a: b'))).toBe('host:"a: b"')
})

test('where the span of time was chosen, rows tell it', () => {
  const rows = ['13:00', '13:30', '14:00'].map((time) => ({ _time: `2026-11-15T${time}:00Z` }))
  expect(findStep(rows)).toBe(1_800_000)
  expect(findSpan(SPREAD, cell(SPREAD_ROW, 'info', 1_800_000))?.to).toBe(Date.parse('2026-11-15T13:30:00Z'))
  expect(findSpan(SPREAD, cell(SPREAD_ROW, 'info', findStep([])))).toBeNull()
})

test('a computed value is no filter', () => {
  expect(testCell(group({ keys: [key('a')] }), cell({ a: 1, count: 2 }, 'count'))).toBeNull()
})

test('a row without one of its keys leads nowhere', () => {
  const groups = group({ keys: [key('service'), key('host')] })
  expect(findEvents(groups, cell({ service: 'api', machine: 'web-1', count: 2 }, 'count'))).toBeNull()
})

test('a pattern leads to the events that have it', () => {
  const groups = group({ patternField: 'message' })
  const found = findEvents(groups, cell({ pattern: 'took <num> s', count: 2 }, 'count'))
  expect(found?.filters[0]).toBe('message:pattern("took <num> s")')
})

test('a pattern of what stands in for a message leads to the events that have it there', () => {
  const groups = group({ patternField: 'message' })
  const row = { pattern: 'took <num> s', text_field: 'log', count: 2 }
  expect(findEvents(groups, cell(row, 'count'))?.filters[0]).toBe('log:pattern("took <num> s")')
})
