/** A table as text that spreadsheets read. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'
import { writeValue } from '../events/text/values'

export type Delimiter = ',' | '\t'

/** A text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i

function writeCell(value: Json, delimiter: Delimiter): string {
  const text = value === null ? '' : writeValue(value)
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  const needsQuotes = harmless.includes(delimiter) || /["\r\n]/.test(harmless)
  return needsQuotes ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export function writeDelimited(columns: string[], rows: Row[], delimiter: Delimiter): string {
  const lines = rows.map((row) => columns.map((column) => writeCell(row[column] ?? null, delimiter)))
  const head = columns.map((column) => writeCell(column, delimiter))
  return [head, ...lines].map((cells) => cells.join(delimiter)).join('\r\n') + '\r\n'
}
