/** Lengths of time as the query language writes them: `5m`, `1h`, `7d`. */
import { fromClock, toClock } from '../../time/zones'

const UNITS: Record<string, [milliseconds: number, name: string]> = {
  ns: [1e-6, 'nanosecond'],
  us: [1e-3, 'microsecond'],
  ms: [1, 'millisecond'],
  s: [1000, 'second'],
  m: [60_000, 'minute'],
  h: [3_600_000, 'hour'],
  d: [86_400_000, 'day'],
  w: [604_800_000, 'week'],
}
const LENGTH = /^(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d|w)$/
const DAY_MS = 86_400_000

/** In milliseconds; null if the text is not a duration. */
export function readInterval(text: string): number | null {
  const match = LENGTH.exec(text)
  const unit = UNITS[match?.[2] ?? '']
  return unit ? Number(match?.[1]) * unit[0] : null
}

/** `5m` as `5 minutes`. */
export function nameInterval(text: string): string {
  const match = LENGTH.exec(text)
  const unit = UNITS[match?.[2] ?? '']
  return unit ? `${match?.[1]} ${unit[1]}${match?.[1] === '1' ? '' : 's'}` : text
}

/** When a bucket that begins at a moment ends; whole days are those of the zone's calendar. */
export function endBucket(start: number, length: number, zone: string): number {
  if (length % DAY_MS) return start + length
  return fromClock(toClock(start, zone) + length, zone)
}
