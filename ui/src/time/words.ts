/** A range of time in words: `Last 1 hour`, `Today`, `Nov 14 10:00 – 11:00 UTC`. */
import { isRelative, resolveEnd, type Range } from './range'
import { toClock } from './zones'

export interface NamedRange extends Range {
  label: string
}

/** The ranges that are one click away. */
export const QUICK_RANGES: NamedRange[] = [
  { label: 'Last 5 minutes', from: '-5m', to: 'now' },
  { label: 'Last 15 minutes', from: '-15m', to: 'now' },
  { label: 'Last 1 hour', from: '-1h', to: 'now' },
  { label: 'Last 3 hours', from: '-3h', to: 'now' },
  { label: 'Last 6 hours', from: '-6h', to: 'now' },
  { label: 'Last 12 hours', from: '-12h', to: 'now' },
  { label: 'Last 24 hours', from: '-24h', to: 'now' },
  { label: 'Last 2 days', from: '-2d', to: 'now' },
  { label: 'Last 7 days', from: '-7d', to: 'now' },
  { label: 'Last 30 days', from: '-30d', to: 'now' },
  { label: 'Today', from: 'now/d', to: 'now' },
  { label: 'Yesterday', from: 'now-1d/d', to: 'now/d' },
  { label: 'This week', from: 'now/w', to: 'now' },
  { label: 'All time', from: '', to: '' },
]

const OTHER_NAMES: NamedRange[] = [
  { label: 'Last week', from: 'now-1w/w', to: 'now/w' },
  { label: 'This month', from: 'now/mon', to: 'now' },
  { label: 'Last month', from: 'now-1mon/mon', to: 'now/mon' },
  { label: 'This year', from: 'now/y', to: 'now' },
  { label: 'Last year', from: 'now-1y/y', to: 'now/y' },
  { label: 'This hour', from: 'now/h', to: 'now' },
]

const DAY_MS = 86_400_000
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const BACK = /^(?:now)?-(\d+)(ms|s|m|h|d|w|mon|y)$/
const UNIT_NAMES: Record<string, string> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mon: 'month',
  y: 'year',
}

export function describeRange(range: Range, now: number, zone: string): string {
  const named = [...QUICK_RANGES, ...OTHER_NAMES].find(
    ({ from, to }) => from === range.from && to === range.to,
  )
  if (named) return named.label
  const length = range.to === 'now' ? describeBack(range.from) : null
  if (length) return `Last ${length}`
  if (isRelative(range.from) || isRelative(range.to)) return describeLoose(range, now, zone)
  return [describeFixed(range, now, zone), nameShort(zone)].filter(Boolean).join(' ')
}

function describeBack(text: string): string | null {
  const [, count, unit = ''] = BACK.exec(text) ?? []
  return count ? `${count} ${UNIT_NAMES[unit]}${count === '1' ? '' : 's'}` : null
}

/** Ranges in which at least one end is relative. */
function describeLoose({ from, to }: Range, now: number, zone: string): string {
  const write = (text: string) => {
    const length = describeBack(text)
    if (length) return `${length} ago`
    return isRelative(text) ? text : describeMoment(text, now, zone)
  }
  if (to === 'now' && from) return `Since ${write(from)}`
  if (!from) return `Until ${write(to)}`
  return to ? `${write(from)} – ${write(to)}` : `Since ${write(from)}, including the future`
}

function describeFixed({ from, to }: Range, now: number, zone: string): string {
  if (!to) return `Since ${describeMoment(from, now, zone)}, including the future`
  if (!from) return `Until ${describeMoment(to, now, zone)}`
  const start = readClock(from, now, zone)
  const end = readClock(to, now, zone)
  if (start === null || end === null) return `${from} – ${to}`
  if (isMidnight(start) && isMidnight(end) && end > start) return describeDays(start, end - DAY_MS, now, zone)
  const isSameDay = Math.floor(start / DAY_MS) === Math.floor(end / DAY_MS)
  const first = `${writeDay(start, now, zone)} ${writeClock(start)}`
  return `${first} – ${isSameDay ? '' : `${writeDay(end, now, zone)} `}${writeClock(end)}`
}

function describeDays(first: number, last: number, now: number, zone: string): string {
  const start = writeDay(first, now, zone)
  return first === last ? start : `${start} – ${writeDay(last, now, zone)}`
}

function describeMoment(text: string, now: number, zone: string): string {
  const clock = readClock(text, now, zone)
  return clock === null ? text : `${writeDay(clock, now, zone)} ${writeClock(clock)}`
}

function readClock(text: string, now: number, zone: string): number | null {
  const moment = resolveEnd(text, now, zone)
  return moment === null ? null : toClock(moment, zone)
}

function isMidnight(clock: number): boolean {
  return clock % DAY_MS === 0
}

function writeDay(clock: number, now: number, zone: string): string {
  const date = new Date(clock)
  const year = date.getUTCFullYear()
  const day = `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`
  return year === new Date(toClock(now, zone)).getUTCFullYear() ? day : `${day} ${year}`
}

/** With only as many parts as needed. */
function writeClock(clock: number): string {
  const text = new Date(clock).toISOString()
  if (clock % 1000) return text.slice(11, 23)
  return clock % 60_000 ? text.slice(11, 19) : text.slice(11, 16)
}

/** Empty for the user's own zone. */
function nameShort(zone: string): string {
  if (zone === 'local') return ''
  return zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone
}

/** An end as shown in its field: `2026-11-14 10:00:00`, or as written if it is relative. */
export function writeEnd(text: string, now: number, zone: string): string {
  if (!text || isRelative(text)) return text
  const clock = readClock(text, now, zone)
  if (clock === null) return text
  const [date, time] = new Date(clock).toISOString().slice(0, -1).split('T')
  return `${date} ${clock % 1000 ? time : time?.slice(0, 8)}`
}
