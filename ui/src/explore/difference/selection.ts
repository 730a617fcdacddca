/** The events that are compared with the others: a time range, or picked events. */
import { writeSpan } from '../../charts/spans/spans'
import { formatMany } from '../../parts/plural'
import { cut, showLine } from '../../text/harmless'
import { quote } from '../filters/filters'

const MAX_SELECTION = 60
/** More would make the address too long. */
export const MAX_PICKED = 50
/** How many times as long as a range the time before it is, with which it is compared unless it is part of a longer range. */
const TIMES_BEFORE = 5

export interface Span {
  from: number
  to: number
}

const TIME = /^_time:\[(\S+) TO (\S+)\}$/

export function selectSpan({ from, to }: Span): string {
  return `_time:[${new Date(from).toISOString()} TO ${new Date(to).toISOString()}}`
}

/** The time span of a selection, if it is one. */
export function readSpan(selection: string): Span | null {
  const [, from = '', to = ''] = TIME.exec(selection) ?? []
  const span = { from: Date.parse(from), to: Date.parse(to) }
  return span.from < span.to ? span : null
}

export function selectEvents(ids: Iterable<string>): string {
  return `_id IN (${Array.from(ids, quote).join(', ')})`
}

/** The span to compare with: the longer one around it, or else the time before it. */
export function findWhole(span: Span, around: Span | null): Span {
  if (
    around &&
    around.from <= span.from &&
    around.to >= span.to &&
    around.to - around.from > span.to - span.from
  )
    return { from: around.from, to: around.to }
  return { from: span.from - TIMES_BEFORE * (span.to - span.from), to: span.to }
}

const IDS = /^_id IN \(("[^"]*"(?:, "[^"]*")*)\)$/

export function describeSelection(selection: string, zone: string): string {
  const span = readSpan(selection)
  if (span) return writeSpan(span.from, span.to, zone)
  const ids = IDS.exec(selection)?.[1]
  if (ids) return formatMany(ids.split(', ').length, 'selected event')
  return cut(showLine(selection), MAX_SELECTION)
}
