/** Moments that a chart marks: deploys, alerts that fired, or the events of any query. */
import type { Row } from '../api/search'
import { cut, showLine } from '../text/harmless'

export interface Moment {
  /** In milliseconds. */
  time: number
  label: string
}

export const MOST_MOMENTS = 100
const MAX_LABEL = 80
const LABELS = ['message', 'event', 'version', 'count']

function nameRow(row: Row): string {
  const told = LABELS.map((name) => row[name]).find((value) => value !== undefined && value !== null)
  return cut(showLine(told === undefined ? 'event' : String(told)), MAX_LABEL)
}

/** Rows with a time, the oldest first. */
export function readMoments(rows: Row[]): Moment[] {
  return rows
    .map((row) => ({ time: Date.parse(String(row['_time'])), label: nameRow(row) }))
    .filter(({ time }) => Number.isFinite(time))
    .sort((one, other) => one.time - other.time)
    .slice(-MOST_MOMENTS)
}

/** Those from one time to before another. */
export function findWithin(moments: Moment[], from: number, to: number): Moment[] {
  return moments.filter(({ time }) => from <= time && time < to)
}
