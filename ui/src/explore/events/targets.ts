/** The parts of a row that can be selected: each word of a message, each value of other fields. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'
import { writeText } from '../filters/filters'
import type { Column } from './list/columns'
import { SUMMARY } from './list/columns'
import { cut, showLine, showText } from '../../text/harmless'
import { findOrigin } from './text/service'
import { findText, type EventText } from './text/text'
import { listOwnNames, pick, writeValue, writeValueTest } from './text/values'
import { listWords, type Word } from './text/words'

export interface Target {
  field: string
  value: Json
  /** The word of a message, as displayed. */
  word?: Word
}

export const MAX_WRAPPED = 2000
/** More than fits on a line of the widest screen. */
export const MAX_LINE = 500
const MAX_SUMMARY_FIELDS = 24
const MAX_SUMMARY_VALUE = 80

/** A value as shown in the list, truncated if it is very long. */
export function showValue(value: Json | undefined, isWrapped: boolean): string {
  const text = writeValue(value)
  // Only the part that is shown is processed: a message may have megabytes.
  const most = isWrapped ? MAX_WRAPPED : MAX_LINE
  return isWrapped ? showText(cut(text, most)) : showLine(cut(text, most))
}

/** The fields that summarise an event without a text. */
export function summarise(row: Row): { name: string; text: string }[] {
  return listOwnNames(row)
    .filter((name) => name !== 'level' && name !== 'message')
    .slice(0, MAX_SUMMARY_FIELDS)
    .map((name) => ({ name, text: showLine(cut(writeValue(row[name]), MAX_SUMMARY_VALUE)) }))
}

/** All targets of a row, in the order they are shown. */
export function listTargets(row: Row, columns: Column[], isWrapped: boolean): Target[] {
  return columns
    .filter((column) => column.name !== '_time')
    .flatMap((column) => targetsOf(row, column, isWrapped))
}

function targetsOf(row: Row, { name, isService }: Column, isWrapped: boolean): Target[] {
  if (name === SUMMARY) {
    const found = findText(row)
    if (found) return pointAtWords(found, isWrapped)
    return summarise(row).map(({ name: field }) => ({ field, value: row[field] ?? null }))
  }
  const origin = isService ? findOrigin(row, name) : null
  const value = origin ? origin.value : pick(row, name)
  return value === undefined ? [] : [{ field: origin?.field ?? name, value }]
}

function pointAtWords({ field, text }: EventText, isWrapped: boolean): Target[] {
  return listWords(showValue(text, isWrapped)).map((word) => ({ field, value: text, word }))
}

export function writeFilter({ field, value, word }: Target, isIncluded: boolean): string {
  return word ? writeText(word.text, isIncluded) : writeValueTest(field, value, isIncluded)
}

/** A description of the target, for labels of menus. */
export function describeTarget({ field, value, word }: Target): string {
  return word ? showLine(cut(word.text, 60)) : `${showLine(field)}: ${showLine(cut(writeValue(value), 60))}`
}
