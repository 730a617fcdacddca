/** The contents of table cells. */
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

/** Whether it is a JSON number: a text of digits is not. */
export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** Whether a column has only numbers, and at least one. */
export function hasNumbers(rows: Row[], column: string): boolean {
  const values = rows.slice(0, LOOKED_AT).map((row) => row[column] ?? null)
  return values.some(isNumber) && values.every((value) => value === null || isNumber(value))
}

export function isTime(value: Json | undefined): value is string {
  return typeof value === 'string' && TIME.test(value)
}

const writeNumber = (value: number | bigint) =>
  (Math.abs(Number(value)) < 1 ? SMALL_NUMBER : NUMBER).format(value)

/** Computed numbers have thousands separators; keys do not, because most are names (404). */
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
  /** Whether its values are keys of groups. */
  isKey: boolean
  /** The text that implies the unit of its numbers: its name, or the aggregate that it belongs to. */
  measure: string
}

/** The text that implies the unit of a column: the aggregate of `timechart … by` if it is named after a value. */
export function findMeasure(column: string, spread: string[]): string {
  const [aggregate] = spread
  return spread.length === 1 && aggregate && !aggregate.includes(',') ? aggregate : column
}

/** A cell of a result: computed numbers are shown in the unit that their name implies, as in charts. */
export function showResult(value: Json | undefined, { zone, isKey, measure }: Shown): string {
  const unit = isKey || !isNumber(value) ? 'none' : findUnit(measure)
  return unit === 'none' ? showCell(value, zone, isKey) || '–' : writeIn(unit, Number(value))
}

/** The exact number, if a cell shows it rounded, with a unit, or with thousands separators. */
export function findExact(value: Json | undefined, shown: string): string | undefined {
  return isNumber(value) && String(value) !== shown ? String(value) : undefined
}

/** The initial width of a column in pixels, so that most of its cells fit. */
export function guessWidth(rows: Row[], column: string, shown: Shown): number {
  const lengths = rows.slice(0, LOOKED_AT).map((row) => showResult(row[column], shown).length)
  const length = Math.max(column.length + 2, ...lengths)
  return Math.round(Math.min(MOST_PX, Math.max(LEAST_PX, length * CHARACTER_PX + PADDING_PX)))
}
