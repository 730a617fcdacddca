/** Consecutive similar events are collapsed into one row, until expanded. */
import type { Row } from '../../../api/search'
import { findOrigin } from '../text/service'
import { STAND_INS } from '../text/text'
import { pick, writeValue } from '../text/values'

export interface Line {
  row: Row
  /** The index among all rows. */
  place: number
  /** The number of similar events including this one; 1 for those shown below an expanded one. */
  repeats: number
  isUnfolded: boolean
}

const TEXTS = ['message', ...STAND_INS]

/** In the usual spelling: events whose fields are spelled differently are not collapsed. */
function textOf(row: Row): string | null {
  for (const name of TEXTS) {
    const value = row[name]
    if (typeof value === 'string' && value) return value
  }
  return null
}

/** Whether two events look the same except for their times. */
export function isLike(one: Row, other: Row, columns: string[]): boolean {
  const text = textOf(one)
  if (text === null || text !== textOf(other)) return false
  const isSame = (name: string) => writeValue(pick(one, name)) === writeValue(pick(other, name))
  const origin = (row: Row) => writeValue(findOrigin(row, 'service')?.value)
  return isSame('level') && origin(one) === origin(other) && columns.every(isSame)
}

/** The rows to show; `unfolded` has the ids of first events whose similar ones are shown too. */
export function foldRows(rows: Row[], columns: string[], unfolded: ReadonlySet<string>): Line[] {
  const lines: Line[] = []
  let start = 0
  while (start < rows.length) {
    const first = rows[start] as Row
    let end = start + 1
    for (let next = rows[end]; next && isLike(first, next, columns); next = rows[end]) end += 1
    const isUnfolded = end > start + 1 && unfolded.has(String(first['_id']))
    lines.push({ row: first, place: start, repeats: end - start, isUnfolded })
    if (isUnfolded) {
      for (let place = start + 1; place < end; place++) {
        lines.push({ row: rows[place] as Row, place, repeats: 1, isUnfolded: false })
      }
    }
    start = end
  }
  return lines
}

/** Every row on its own. */
export function listAll(rows: Row[]): Line[] {
  return rows.map((row, place) => ({ row, place, repeats: 1, isUnfolded: false }))
}

/** The line that shows or represents a row; -1 if there is none. */
export function lineOf(lines: Line[], place: number): number {
  if (place < 0 || !lines.length) return -1
  let low = 0
  let high = lines.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lines[middle] as Line).place <= place) low = middle
    else high = middle - 1
  }
  return low
}
