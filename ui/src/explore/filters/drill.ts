/** From a row of a table back to its events: filters that find them, and their span of time. */
import { endBucket, readInterval } from '../../charts/spans/intervals'
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'
import { quote, writeName, writeTest } from './filters'
import type { Groups, Key } from './groups'
import { makePatternFilter } from '../patterns/filter'
import { joinPipes } from '../query/pipes'

export interface Target {
  query: string
  filters: string[]
  /** In milliseconds; null where the row says nothing about time. */
  span: { from: number; to: number } | null
}

/** Where a table's cell is, with what is needed to know what it means. */
export interface Cell {
  row: Row
  column: string
  columns: string[]
  /** How far apart rows are in time, in milliseconds; where the query does not say. */
  step: number
  zone: string
}

const SIZE = /^(-?[\d.]+(?:e[+-]?\d+)?)\s*([A-Za-z]*)$/
const THOUSANDS = ['', 'k', 'm', 'g', 't', 'p']

/** The number that a quantity such as `10KB` or `5m` counts as: bytes, or seconds. */
function readQuantity(text: string): number | null {
  const interval = readInterval(text)
  if (interval !== null) return interval / 1000
  const [, digits = '', unit = ''] = SIZE.exec(text) ?? []
  const letter = unit.toLowerCase().replace(/i?b$/, '')
  const power = THOUSANDS.indexOf(letter)
  if (!digits || power < 0) return null
  return Number(digits) * (/ib$/i.test(unit) ? 1024 : 1000) ** power
}

function testBucket(name: string, value: Json, bucket: string): string {
  const width = readQuantity(bucket)
  if (value === null || width === null) return `NOT ${name}>=-1e308`
  // Sums of fractions end in long tails of digits that mean nothing.
  const end = Number((Number(value) + width).toPrecision(15))
  return `${name}>=${value as number} ${name}<${end}`
}

function testNetwork(name: string, value: Json): string {
  return value === null ? `NOT (${name}:0.0.0.0/0 OR ${name}:::/0)` : `${name}:${String(value)}`
}

/** The filter for events of a group; times are none, they make a span. */
export function testKey({ field, bucket, prefixBits }: Key, value: Json): string {
  const name = writeName(field)
  if (prefixBits !== null) return testNetwork(name, value)
  return bucket === null ? writeTest(field, value) : testBucket(name, value, bucket)
}

/** The values of the columns of a `timechart … by`, without those for the rest. */
function listSpread({ spread }: Groups, columns: string[]): Map<string, string> {
  const named = new Map<string, string>()
  if (!spread) return named
  const prefixes = spread.aggregates.length > 1 ? spread.aggregates.map((each) => `${each}: `) : ['']
  for (const column of columns) {
    const prefix = prefixes.find((each) => column.startsWith(each))
    if (prefix !== undefined && column !== '_time') named.set(column, column.slice(prefix.length))
  }
  return named
}

/** The filter for what a column of a `timechart … by` counts; null if it is no such column. */
export function testColumn(groups: Groups, column: string, columns: string[]): string | null {
  const values = listSpread(groups, columns)
  const value = values.get(column)
  if (value === undefined || !groups.spread) return null
  const name = writeName(groups.spread.field)
  if (value === 'NULL') return `NOT ${name}:*`
  if (value !== 'OTHER') return `${name}:${quote(readLabel(value))}`
  const others = [...new Set(values.values())].filter((each) => each !== 'NULL' && each !== 'OTHER')
  return `${name}:* NOT ${name} IN (${others.map((each) => quote(readLabel(each))).join(', ')})`
}

/** Texts that read as one of the columns for no single value stand in quotes. */
const readLabel = (label: string) => (/^"+(null|other)"+$/i.test(label) ? label.slice(1, -1) : label)

/** The field that a row's pattern is of, where the server says it. */
function readField(row: Row): string | null {
  return typeof row['text_field'] === 'string' ? row['text_field'] : null
}

/** The filter that a single cell stands for: of a key, a pattern or a column of values; null for a computed value. */
export function testCell(groups: Groups, { row, column, columns }: Cell): string | null {
  const value = row[column] ?? null
  const key = groups.keys.find(({ field }) => field === column)
  if (key) return column === '_time' ? null : testKey(key, value)
  if (groups.patternField !== null && column === 'pattern')
    return makePatternFilter(String(value), readField(row) ?? groups.patternField)
  return testColumn(groups, column, columns)
}

/** The span of time of a row that is grouped by time. */
export function findSpan(groups: Groups, { row, step, zone }: Cell): Target['span'] {
  const key = groups.keys.find(({ field }) => field === '_time')
  const start = typeof row['_time'] === 'string' ? Date.parse(row['_time']) : NaN
  if (!key || Number.isNaN(start)) return null
  if (key.bucket === null) return { from: start, to: start + 1 }
  const length = readInterval(key.bucket) ?? step
  // A single row without a known length is all of the time that was asked for.
  return Number.isFinite(length) ? { from: start, to: endBucket(start, length, zone) } : null
}

/** The events behind a cell; null where a later pipe took away a key that would tell them. */
export function findEvents(groups: Groups, cell: Cell): Target | null {
  const told = [
    ...groups.keys.map(({ field }) => field),
    ...(groups.patternField === null ? [] : ['pattern']),
  ]
  if (!told.every((field) => cell.columns.includes(field))) return null
  const tests = told
    .filter((field) => field !== '_time')
    .map((column) => testCell(groups, { ...cell, column }))
  if (tests.includes(null)) return null
  const filters = [...tests, testColumn(groups, cell.column, cell.columns)].filter((test) => test !== null)
  const span = findSpan(groups, cell)
  if (!groups.hasPipes) return { query: everythingAsNothing(groups.query), filters, span }
  return { query: joinPipes([groups.query, ...filters.map((test) => `where ${test}`)]), filters: [], span }
}

const everythingAsNothing = (query: string) => (query === '*' ? '' : query)

/** The least distance in time of rows that follow each other; infinite without any. */
export function findStep(rows: Row[]): number {
  const times = rows.slice(0, 1000).map((row) => Date.parse(String(row['_time'])))
  const steps = times.slice(1).map((time, place) => Math.abs(time - (times[place] ?? NaN)))
  return steps.filter((step) => step > 0).reduce((least, step) => Math.min(least, step), Infinity)
}
