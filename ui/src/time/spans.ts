/** Ranges derived from another: wider, earlier, later, around a moment. */
import { resolveEnd, type Range } from './range'

function fixEnds(range: Range, now: number, zone: string): [from: number, to: number] | null {
  const from = resolveEnd(range.from, now, zone)
  const to = range.to === '' ? now : resolveEnd(range.to, now, zone)
  return from === null || to === null || from >= to ? null : [from, to]
}

function write(from: number, to: number): Range {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/** Twice as long around the same centre, but not into the future; null for a range without a start. */
export function zoomOut(range: Range, now: number, zone: string): Range | null {
  const ends = fixEnds(range, now, zone)
  if (!ends) return null
  const [from, to] = ends
  const length = to - from
  const end = Math.max(to, Math.min(to + length / 2, now))
  return write(Math.floor(end - 2 * length), Math.floor(end))
}

/** The same length, right before (-1) or after (1); null for a range without a start. */
export function shiftSpan(range: Range, direction: -1 | 1, now: number, zone: string): Range | null {
  const ends = fixEnds(range, now, zone)
  if (!ends) return null
  const [from, to] = ends
  const length = (to - from) * direction
  return write(from + length, to + length)
}

/** Extended to at least this margin around a moment; an end that is far enough stays as written. */
export function widenAround(range: Range, moment: number, margin: number, now: number, zone: string): Range {
  const first = moment - margin
  // The future need not be included.
  const last = Math.max(moment + 1, Math.min(moment + margin, now))
  const from = resolveEnd(range.from, now, zone)
  const to = resolveEnd(range.to, now, zone)
  return {
    from: from === null || from <= first ? range.from : new Date(first).toISOString(),
    to: to === null || to >= last ? range.to : new Date(moment + margin).toISOString(),
  }
}
