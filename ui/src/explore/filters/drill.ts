/** From a row of a table to its events: filters that find them, and their time span. */
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
  /** In milliseconds; null if the row has no time. */
  span: { from: number; to: number } | null
}

/** A cell of a table, with the information needed to interpret it. */
export interface Cell {
  row: Row
  column: string
  columns: string[]
  /** The distance of rows in time, in milliseconds; used if the query does not name it. */
  step: number
  zone: string
}

const SIZE = /^(-?[\d.]+(?:e[+-]?\d+)?)\s*([A-Za-z]*)$/
const THOUSANDS = ['', 'k', 'm', 'g', 't', 'p']

/** The number of bytes or seconds of a quantity such as `10KB` or `5m`. */
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
  // Sums of fractions have meaningless trailing digits.
  const end = Number((Number(value) + width).toPrecision(15))
  return `${name}>=${value as number} ${name}<${end}`
}

function testNetwork(name: string, value: Json): string {
  return value === null ? `NOT (${name}:0.0.0.0/0 OR ${name}:::/0)` : `${name}:${String(value)}`
}

/** The filter for events of a group; times are not filters but make a span. */
export function testKey({ field, bucket, prefixBits }: Key, value: Json): string {
  const name = writeName(field)
  if (prefixBits !== null) return testNetwork(name, value)
  return bucket === null ? writeTest(field, value) : testBucket(name, value, bucket)
}

/** The values of the columns of a `timechart … by`, without those for other and missing values. */
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

/** The filter for the events counted by a column of a `timechart … by`; null if it is not such a column. */
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

/** Values that look like the special columns are in quotes. */
const readLabel = (label: string) => (/^"+(null|other)"+$/i.test(label) ? label.slice(1, -1) : label)

/** The field of a row's pattern, if the server names it. */
function readField(row: Row): string | null {
  return typeof row['text_field'] === 'string' ? row['text_field'] : null
}

/** The filter for a single cell: of a key, a pattern or a column named after a value; null for a computed value. */
export function testCell(groups: Groups, { row, column, columns }: Cell): string | null {
  const value = row[column] ?? null
  const key = groups.keys.find(({ field }) => field === column)
  if (key) return column === '_time' ? null : testKey(key, value)
  if (groups.patternField !== null && column === 'pattern')
    return makePatternFilter(String(value), readField(row) ?? groups.patternField)
  return testColumn(groups, column, columns)
}

/** The time span of a row that is grouped by time. */
export function findSpan(groups: Groups, { row, step, zone }: Cell): Target['span'] {
  const key = groups.keys.find(({ field }) => field === '_time')
  const start = typeof row['_time'] === 'string' ? Date.parse(row['_time']) : NaN
  if (!key || Number.isNaN(start)) return null
  if (key.bucket === null) return { from: start, to: start + 1 }
  const length = readInterval(key.bucket) ?? step
  // A single row without a known length covers the whole requested range.
  return Number.isFinite(length) ? { from: start, to: endBucket(start, length, zone) } : null
}

/** The events behind a cell; null if a later pipe removed a key that is needed to find them. */
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

/** The smallest time between consecutive rows; infinite if there are no two. */
export function findStep(rows: Row[]): number {
  const times = rows.slice(0, 1000).map((row) => Date.parse(String(row['_time'])))
  const steps = times.slice(1).map((time, place) => Math.abs(time - (times[place] ?? NaN)))
  return steps.filter((step) => step > 0).reduce((least, step) => Math.min(least, step), Infinity)
}
