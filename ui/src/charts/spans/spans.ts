/** Spans of time as the pages show them beside charts. */
import { showTime } from '../../time/show'

/** `2026-11-15 13:04:05`, with a fraction only if there is one. */
export function writeMoment(moment: number, zone: string): string {
  return showTime(new Date(moment).toISOString(), zone).replace(/\.000$/, '')
}

/** From a moment to another; the date is said once if both have it. */
export function writeSpan(from: number, to: number, zone: string): string {
  const [start, end] = [writeMoment(from, zone), writeMoment(to, zone)]
  const isSameDay = start.slice(0, 10) === end.slice(0, 10)
  return `${start} – ${isSameDay ? end.slice(11) : end}`
}
