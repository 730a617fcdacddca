/** The previous period, overlaid on the buckets of the shown one. */
import type { Histogram } from '../../api/search'
import { formatCount } from '../../parts/numbers'
import { readInterval } from './intervals'
import { findBucket, type Bucket } from '../picture/stack'

export interface Earlier {
  from: string
  to: string
  /** How much earlier it is, in milliseconds. */
  shift: number
}

/**
 * As long as the span itself and right before it; null for a span without a beginning. It is moved by whole buckets,
 * so that those of both begin at the same places.
 */
export function findEarlier(
  { from, to }: { from: string | null; to: string | null },
  interval: string,
  now: number,
): Earlier | null {
  const [start, end] = [Date.parse(from ?? ''), to === null ? now : Date.parse(to)]
  const step = readInterval(interval)
  if (Number.isNaN(start) || !(end > start) || !step) return null
  const shift = Math.ceil((end - start) / step) * step
  const write = (moment: number) => new Date(moment - shift).toISOString()
  return { from: write(start), to: write(end), shift }
}

/** The counts of the earlier period for each bucket. */
export function layOver(earlier: Histogram, shift: number, buckets: Bucket[]): number[] {
  const counts = buckets.map(() => 0)
  for (const { time, count } of earlier.buckets) {
    // Days are not all of the same length, so the beginnings may differ by an hour.
    const middle = Date.parse(time) + shift + (readInterval(earlier.interval) ?? 0) / 2
    const place = findBucket(buckets, middle)
    if (place >= 0) counts[place] = (counts[place] ?? 0) + count
  }
  return counts
}

/** `120 in the previous period, +25 %`. */
export function describeChange(now: number, before: number): string {
  if (!before) return 'none in the previous period'
  const percent = Math.round((100 * (now - before)) / before)
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±'
  return `${formatCount(before)} in the previous period, ${sign}${formatCount(Math.abs(percent))} %`
}
