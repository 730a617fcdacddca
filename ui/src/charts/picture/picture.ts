/** A table as a chart: which column is the axis, and which are the series. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'

/** The place of a chart's value in the table. */
export interface Mark {
  row: Row
  column: string
}

export interface Series {
  name: string
  values: (number | null)[]
  marks: (Mark | null)[]
}

export interface Picture {
  axis: 'time' | 'category' | 'none'
  /** The time of each place on the axis, in milliseconds; empty if it is not a time axis. */
  times: number[]
  /** The names of the places of other axes. */
  labels: string[]
  series: Series[]
  /** Series and places that are not shown because there are too many. */
  leftOut: { series: number; places: number }
  /** Whether values of the series may be added up. */
  isStackable: boolean
}

/** How the table is grouped, as far as it is known. */
export interface Shape {
  columns: string[]
  keys: string[]
  show: (value: Json | undefined, column: string) => string
}

export const MAX_SERIES = 60
/** Columns for all other values, and for events without a value. */
const REST = new Set(['OTHER', 'NULL'])
const MAX_CATEGORIES = 50
const ADDABLE = /^(count|sum|rate)\b/
const NO_CATEGORY = 'no value'

const isNumber = (value: Json | undefined) => typeof value === 'number' || typeof value === 'bigint'
export const readNumber = (value: Json | undefined) => (isNumber(value) ? Number(value) : null)

function findTimeColumn(rows: Row[], columns: string[]): string | null {
  const [first = ''] = columns
  const column = columns.includes('_time') ? '_time' : first
  const isTime = (value: Json | undefined) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
  return rows.every((row) => isTime(row[column])) ? column : null
}

export interface Roles {
  time: string | null
  categories: string[]
  values: string[]
}

export function findRoles(rows: Row[], { columns, keys }: Shape): Roles {
  const time = findTimeColumn(rows, columns)
  const others = columns.filter((column) => column !== time)
  const numbers = others.filter((column) => rows.some((row) => isNumber(row[column])))
  const grouped = others.filter((column) => keys.includes(column))
  if (grouped.length || keys.length)
    return { time, categories: grouped, values: numbers.filter((column) => !grouped.includes(column)) }
  const texts = others.filter((column) => rows.some((row) => typeof row[column] === 'string'))
  const isTold = time !== null || texts.length > 0 || rows.length === 1
  const categories = isTold ? texts : others.slice(0, 1)
  return { time, categories, values: numbers.filter((column) => !categories.includes(column)) }
}

function nameValue(value: Json | undefined, column: string, { show }: Shape): string {
  if (value === null || value === undefined) return NO_CATEGORY
  const text = show(value, column)
  return text === NO_CATEGORY ? `"${text}"` : text
}

export const nameCategory = (row: Row, categories: string[], shape: Shape) =>
  categories.map((column) => nameValue(row[column], column, shape)).join(' · ')

const measure = ({ values }: Series) => values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0)

/** The largest sum first, and the rest last. */
function compareSeries(one: Series, other: Series): number {
  return Number(REST.has(one.name)) - Number(REST.has(other.name)) || measure(other) - measure(one)
}

function drawOverTime(rows: Row[], time: string, roles: Roles, shape: Shape, isSpread: boolean): Picture {
  const moments = rows.map((row) => Date.parse(String(row[time])))
  const times = [...new Set(moments)].sort((one, other) => one - other)
  const places = new Map(times.map((moment, place) => [moment, place]))
  const series = new Map<string, Series>()
  rows.forEach((row, at) => {
    const category = nameCategory(row, roles.categories, shape)
    const place = places.get(moments[at] ?? NaN) ?? 0
    for (const column of roles.values) {
      const name = [
        ...(category && roles.values.length === 1 ? [] : [column]),
        ...(category ? [category] : []),
      ].join(': ')
      const known = series.get(name) ?? {
        name,
        values: times.map(() => null),
        marks: times.map(() => null),
      }
      series.set(name, known)
      known.values[place] = readNumber(row[column])
      known.marks[place] = { row, column }
    }
  })
  const all = [...series.values()]
  // Aggregates keep the order of the query; values that became series have no order.
  if (roles.categories.length || isSpread) all.sort(compareSeries)
  return {
    axis: 'time',
    times,
    labels: [],
    series: all.slice(0, MAX_SERIES),
    leftOut: { series: Math.max(0, all.length - MAX_SERIES), places: 0 },
    isStackable: false,
  }
}

function drawCategories(rows: Row[], roles: Roles, shape: Shape): Picture {
  const shown = rows.slice(0, MAX_CATEGORIES)
  const series = roles.values.slice(0, MAX_SERIES).map((column) => ({
    name: column,
    values: shown.map((row) => readNumber(row[column])),
    marks: shown.map((row) => ({ row, column })),
  }))
  return {
    axis: roles.categories.length ? 'category' : 'none',
    times: [],
    labels: shown.map((row) => nameCategory(row, roles.categories, shape)),
    series,
    leftOut: {
      series: roles.values.length - series.length,
      places: rows.length - shown.length,
    },
    isStackable: false,
  }
}

/** The chart of a table, or why there is none. `spread` names the aggregates of columns named after values. */
export function drawTable(rows: Row[], shape: Shape, spread: string[] = []): Picture | string {
  if (!rows.length) return 'The table has no rows.'
  const roles = findRoles(rows, shape)
  if (!roles.values.length) return 'The table has no numeric column to draw.'
  const picture =
    roles.time === null
      ? drawCategories(rows, roles, shape)
      : drawOverTime(rows, roles.time, roles, shape, spread.length === 1)
  const added = spread.length ? spread : roles.values
  return { ...picture, isStackable: added.every((name) => ADDABLE.test(name)) }
}

/** The series whose names are numbers, the smallest first, for a heatmap. Empty if there are none. */
export function findBuckets(series: Series[]): { series: Series; bound: number }[] {
  return series
    .map((each) => ({ series: each, bound: each.name.trim() === '' ? NaN : Number(each.name) }))
    .filter(({ bound }) => Number.isFinite(bound))
    .sort((one, other) => one.bound - other.bound)
}

/** The aggregate in the columns of a `timechart … by`, as far as the text of the query shows. */
export function findSpread(query: string): string[] {
  const found =
    /\|\s*timechart\s+(?:(?:span|limit|bins|useother|usenull)=\S+\s+|\d+\w+\s+)*([^|]*?)\s+by\s[^|]*$/.exec(
      query,
    )
  return found?.[1] ? [found[1]] : []
}

/** The series stacked: each starts on top of those after it, so that the first reaches the sum. */
export function stackSeries(series: Series[]): (number | null)[][] {
  const sums = series[0]?.values.map(() => 0) ?? []
  return series
    .toReversed()
    .map(({ values }) => values.map((value, place) => (sums[place] = (sums[place] ?? 0) + (value ?? 0))))
    .toReversed()
}
