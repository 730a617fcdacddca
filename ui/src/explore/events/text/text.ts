/** The text shown for an event: its message, or a field that stands in for it. The server's rule is in `model/event_text.py`. */
import type { Row } from '../../../api/search'
import { pick } from './values'

/** Fields that are shown instead of a missing message; the first that has a text. */
export const STAND_INS = ['log', 'line', 'short_message', 'text']
const LINE_END = /[\r\n]+$/

export interface EventText {
  field: string
  text: string
}

/** Null for an event without a text, which is summarised by its fields. */
export function findText(row: Row): EventText | null {
  const message = pick(row, 'message') ?? null
  if (message !== null) {
    return typeof message === 'string' && message !== '' ? { field: 'message', text: message } : null
  }
  for (const field of STAND_INS) {
    const value = pick(row, field)
    const text = typeof value === 'string' ? value.replace(LINE_END, '') : ''
    if (text) return { field, text }
  }
  return null
}
