/** In which order the detail shows the fields of an event. */
import type { Json } from '../../../api/json'
import type { Row } from '../../../api/search'
import { findText } from '../../events/text/text'
import { foldStack } from './stack'

export interface Layout {
  /** Texts that need the full width: the message first, then stack traces. */
  texts: { field: string; text: string }[]
  /** All other fields, those of the service last. */
  entries: [name: string, value: Json][]
}

/** Fields that cannot be used in filters, or add no information. */
const HIDDEN = new Set(['_raw'])
const LAST = ['_index', '_time', '_env', '_id']

export function layOutFields(row: Row): Layout {
  const message = findText(row)
  const stacks = Object.entries(row).flatMap(([field, value]) =>
    field !== message?.field && typeof value === 'string' && foldStack(value) ? [{ field, text: value }] : [],
  )
  const texts = [...(message ? [message] : []), ...stacks]
  const shown = new Set(texts.map(({ field }) => field))
  return { texts, entries: orderEntries(row).filter(([name]) => !shown.has(name)) }
}

/** Every field that is shown. */
export function orderEntries(row: Row): [name: string, value: Json][] {
  const entries = Object.entries(row).filter(([name]) => !HIDDEN.has(name))
  const rank = ([name]: [string, Json]) => LAST.indexOf(name)
  return entries.sort((one, other) => rank(one) - rank(other))
}
