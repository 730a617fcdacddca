/** What stands in the cells of a table. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'
import { findUnit, writeIn } from '../../charts/units'
import { showTime } from '../../time/show'
import { cut, showLine } from '../../text/harmless'
import { writeValue } from '../events/text/values'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })
const SMALL_NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })
const MAX_CHARACTERS = 500
const LOOKED_AT = 200
const CHARACTER_PX = 7.5
const PADDING_PX = 28
const [LEAST_PX, MOST_PX] = [72, 480]

/** As JSON says it: a text of digits is none. */
export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Whether there are numbers in a column, and nothing else. */
export function hasNumbers(rows: Row[], column: string): boolean {
  const values = rows.slice(0, LOOKED_AT).map((row) => row[column] ?? null)
  return values.some(isNumber) && values.every((value) => value === null || isNumber(value))
}

export function isTime(value: Json | undefined): value is string {
  return typeof value === 'string' && TIME.test(value)
}

const writeNumber = (value: number | bigint) =>
  (Math.abs(Number(value)) < 1 ? SMALL_NUMBER : NUMBER).format(value)

/** Computed numbers have their thousands apart; those that stand for a group do not, as most are names (404). */
export function showCell(value: Json | undefined, zone: string, isKey = false): string {
  if (value === undefined || value === null) return ''
  if (value === '') return '""'
  if (isNumber(value)) return isKey ? String(value) : writeNumber(value)
  if (isTime(value)) return showTime(value, zone).replace(/\.000$/, '')
  return showLine(cut(writeValue(value), MAX_CHARACTERS))
}

/** How a column is shown. */
export interface Shown {
  zone: string
  /** Its values stand for groups. */
  isKey: boolean
  /** What tells the unit of its numbers: its name, or the aggregate that it is a part of. */
  measure: string
}

/** What tells the unit of a column: one that is named after a value is part of the only aggregate of `timechart … by`. */
export function findMeasure(column: string, spread: string[]): string {
  const [aggregate] = spread
  return spread.length === 1 && aggregate && !aggregate.includes(',') ? aggregate : column
}

/** A cell of a result: computed numbers have the unit that their name tells, as in charts. */
export function showResult(value: Json | undefined, { zone, isKey, measure }: Shown): string {
  const unit = isKey || !isNumber(value) ? 'none' : findUnit(measure)
  return unit === 'none' ? showCell(value, zone, isKey) || '–' : writeIn(unit, Number(value))
}

/** The number itself, where a cell shows it rounded, with a unit, or with its thousands apart. */
export function findExact(value: Json | undefined, shown: string): string | undefined {
  return isNumber(value) && String(value) !== shown ? String(value) : undefined
}

/** How wide a column should be at first, in pixels, for most of its cells to show all. */
export function guessWidth(rows: Row[], column: string, shown: Shown): number {
  const lengths = rows.slice(0, LOOKED_AT).map((row) => showResult(row[column], shown).length)
  const length = Math.max(column.length + 2, ...lengths)
  return Math.round(Math.min(MOST_PX, Math.max(LEAST_PX, length * CHARACTER_PX + PADDING_PX)))
}
