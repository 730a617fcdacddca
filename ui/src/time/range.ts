/** Time ranges as written in the address, relative to now or fixed, and their values at a moment. */
import { fromClock, toClock } from './zones'

/** Each end is empty (unbounded), `now`, relative such as `-15m` or `now-1d/d`, or RFC 3339. */
export interface Range {
  from: string
  to: string
}

/** RFC 3339, or null for no bound. */
export interface Fixed {
  from: string | null
  to: string | null
}

const RELATIVE = /^(?:now)?(?:([-+])(\d+)(ms|s|m|h|d|w|mon|y))?(?:\/(s|m|h|d|w|mon|y))?$/
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/i

const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

export function isRelative(text: string): boolean {
  return text !== '' && RELATIVE.test(text)
}

/** The moment that an end means, in milliseconds; null if it is unbounded or cannot be parsed. */
export function resolveEnd(text: string, now: number, zone: string): number | null {
  if (!isRelative(text)) return RFC_3339.test(text) ? readMoment(text) : null
  const [, sign, count, unit, snap] = RELATIVE.exec(text) ?? []
  const shifted = count && unit ? shift(now, (sign === '-' ? -1 : 1) * Number(count), unit, zone) : now
  return snap ? snapTo(shifted, snap, zone) : shifted
}

function readMoment(text: string): number | null {
  const moment = Date.parse(text)
  return Number.isNaN(moment) ? null : moment
}

/** Both ends as sent to the server. A fixed end stays as written, because a Date would lose its nanoseconds. */
export function resolve(range: Range, now: number, zone: string): Fixed {
  const fix = (text: string) => {
    const moment = isRelative(text) ? resolveEnd(text, now, zone) : null
    return moment === null ? text || null : new Date(moment).toISOString()
  }
  return { from: fix(range.from), to: fix(range.to) }
}

/** Days and longer units follow the calendar: a day has 23 hours when clocks go forward. */
function shift(moment: number, count: number, unit: string, zone: string): number {
  const length = UNIT_MS[unit]
  if (length !== undefined && length < 86_400_000) return moment + count * length
  const clock = new Date(toClock(moment, zone))
  if (unit === 'd') clock.setUTCDate(clock.getUTCDate() + count)
  else if (unit === 'w') clock.setUTCDate(clock.getUTCDate() + 7 * count)
  else shiftMonths(clock, unit === 'mon' ? count : 12 * count)
  return fromClock(clock.getTime(), zone)
}

/** A month before March 31 is the last day of February. */
function shiftMonths(clock: Date, count: number): void {
  const day = clock.getUTCDate()
  clock.setUTCDate(1)
  clock.setUTCMonth(clock.getUTCMonth() + count)
  const last = new Date(Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth() + 1, 0)).getUTCDate()
  clock.setUTCDate(Math.min(day, last))
}

function snapTo(moment: number, unit: string, zone: string): number {
  const clock = new Date(toClock(moment, zone))
  clock.setUTCMilliseconds(0)
  if (unit !== 's') clock.setUTCSeconds(0)
  if (!['s', 'm'].includes(unit)) clock.setUTCMinutes(0)
  if (['d', 'w', 'mon', 'y'].includes(unit)) clock.setUTCHours(0)
  // Weeks begin on Mondays.
  if (unit === 'w') clock.setUTCDate(clock.getUTCDate() - ((clock.getUTCDay() + 6) % 7))
  if (['mon', 'y'].includes(unit)) clock.setUTCDate(1)
  if (unit === 'y') clock.setUTCMonth(0)
  return fromClock(clock.getTime(), zone)
}
