/** Formats the times of events in a zone, with all their digits. */
import { findOffset } from './zones'

const TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:Z|z)$/
const LEAST_DIGITS = 3
/** Clocks change only at quarters of an hour, so one lookup of the zone's rules serves all events within one. */
const QUARTER_MS = 900_000
const MAX_OFFSETS = 4096

const offsets = new Map<string, Map<number, number>>()

function recallOffset(moment: number, zone: string): number {
  let known = offsets.get(zone)
  if (!known) offsets.set(zone, (known = new Map()))
  const quarter = Math.floor(moment / QUARTER_MS)
  let offset = known.get(quarter)
  if (offset === undefined) {
    if (known.size >= MAX_OFFSETS) known.clear()
    offset = findOffset(quarter * QUARTER_MS, zone)
    known.set(quarter, offset)
  }
  return offset
}

/** Date and time of day; null if it is not RFC 3339 in UTC, as the server writes it. */
function read(time: string, zone: string): [date: string, clock: string] | null {
  const match = TIME.exec(time)
  if (!match) return null
  const moment = Date.parse(`${time.slice(0, 10)}T${time.slice(11, 19)}Z`)
  if (Number.isNaN(moment)) return null
  const shown = new Date(moment + recallOffset(moment, zone)).toISOString()
  // A fraction is the same in every zone, and a Date would lose its digits.
  return [shown.slice(0, 10), `${shown.slice(11, 19)}.${(match[7] ?? '').padEnd(LEAST_DIGITS, '0')}`]
}

/** `2026-11-15 13:04:05.123`; a text that is not a time stays unchanged. */
export function showTime(time: string, zone: string): string {
  return read(time, zone)?.join(' ') ?? time
}

/** The time of day alone: `13:04:05.123`. */
export function showTimeShort(time: string, zone: string): string {
  return read(time, zone)?.[1] ?? time
}
