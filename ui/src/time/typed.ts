/** Ranges of time as people type them: `3h`, `yesterday`, `Sep 1 10:00-11:00`, `since 9am`, `now-1h/h to now`. */
import { readLength, readUnit } from './lengths'
import { readMoment, type Place, type Span } from './moments'
import { isRelative, resolveEnd, type Range } from './range'
import { toClock } from './zones'

export const EXAMPLES = ['3h', 'yesterday', 'Sep 1 10:00-11:00', '2026-11-14']

/** Either a range, or an error message. */
export type Understood = { range: Range } | { problem: string }

const DAY_MS = 86_400_000
const WORDS: Record<string, Range> = {
  today: { from: 'now/d', to: 'now' },
  yesterday: { from: 'now-1d/d', to: 'now/d' },
  'this hour': { from: 'now/h', to: 'now' },
  'last hour': { from: '-1h', to: 'now' },
  'this week': { from: 'now/w', to: 'now' },
  'last week': { from: 'now-1w/w', to: 'now/w' },
  'this month': { from: 'now/mon', to: 'now' },
  'last month': { from: 'now-1mon/mon', to: 'now/mon' },
  'this year': { from: 'now/y', to: 'now' },
  'last year': { from: 'now-1y/y', to: 'now/y' },
  all: { from: '', to: '' },
  'all time': { from: '', to: '' },
  everything: { from: '', to: '' },
}
const JOINT = /\s+(?:to|until|till|and)\s+|\s*(?:[–—]|\.\.+)\s*|\s+-\s+|-/g
const SINCE = /^(?:since|from|after)\s+(.+)$/
const UNTIL = /^(?:until|till|before|up to)\s+(.+)$/
const BACK = /^(?:in )?(?:the )?(last |past |previous )?(.+?)(?: ago)?$/

/** One end: how it is written as a start and as an end, and its day if it has one. */
interface End {
  start: string
  end: string
  span: Span | null
}

export function readRange(typed: string, now: number, zone: string): Understood {
  const text = typed.trim().replace(/\s+/g, ' ').toLowerCase()
  const place = makePlace(now, zone)
  if (!text) return { problem: `Type a range, such as ${EXAMPLES.join(', ')}` }
  const range = readWhole(text, place) ?? readBounded(text.replace(/^between /, ''), place)
  if (!range) return { problem: `“${typed.trim()}” is not a valid time; try ${EXAMPLES.join(', ')}` }
  return check(range, place)
}

/** A single end, as written in the address: empty for no bound, null if it is not a time. */
export function readSingleEnd(typed: string, now: number, zone: string): string | null {
  const text = typed.trim().replace(/\s+/g, ' ').toLowerCase()
  return text === '' ? '' : (readEnd(text, makePlace(now, zone))?.start ?? null)
}

function makePlace(now: number, zone: string): Place {
  return { now, zone, day: Math.floor(toClock(now, zone) / DAY_MS) * DAY_MS }
}

function check(range: Range, { now, zone }: Place): Understood {
  const from = resolveEnd(range.from, now, zone)
  const to = resolveEnd(range.to, now, zone)
  if (from !== null && to !== null && from >= to) return { problem: 'The end is before the start' }
  return { range }
}

/** Texts that name a whole range, without two ends. */
function readWhole(text: string, place: Place): Range | null {
  const word = WORDS[text] ?? readOpen(text, place)
  if (word) return word
  const length = readBack(text)
  if (length) return { from: length, to: 'now' }
  const span = readMoment(text, place)
  if (span) return { from: write(span.start), to: write(span.end) }
  return isRelative(text) ? { from: text, to: 'now' } : null
}

/** `since 9am`, `before Sep 1`. */
function readOpen(text: string, place: Place): Range | null {
  const begin = readEnd(SINCE.exec(text)?.[1] ?? '', place)
  if (begin) return { from: begin.start, to: 'now' }
  const end = readEnd(UNTIL.exec(text)?.[1] ?? '', place)
  return end && { from: '', to: end.start }
}

/** `-3h` for `3h`, `last 3 hours` and `3h ago`. */
function readBack(text: string): string | null {
  const [, anchor, rest = ''] = BACK.exec(text) ?? []
  const unit = anchor ? readUnit(rest) : null
  const length = unit ? { count: 1, unit } : readLength(rest)
  return length && length.count > 0 ? `-${length.count}${length.unit}` : null
}

/** Two ends with a separator: the first split for which both can be parsed. */
function readBounded(text: string, place: Place): Range | null {
  for (const joint of text.matchAll(JOINT)) {
    const before = text.slice(0, joint.index)
    const after = text.slice(joint.index + joint[0].length)
    const range = before && after ? readEnds(before, after, place) : null
    if (range) return range
  }
  return null
}

function readEnds(before: string, after: string, place: Place): Range | null {
  const from = readEnd(before.replace(/^from /, ''), place)
  if (!from) return null
  const to = readEnd(after, { ...place, day: from.span?.day ?? place.day })
  if (!to) return null
  return { from: from.start, to: isPastMidnight(from, to) ? moveOn(after, from, place) : to.end }
}

/** `22:00-02:00`: the second time is on the next day. */
function isPastMidnight({ span: from }: End, { span: to }: End): boolean {
  return Boolean(from && to?.isDayAssumed && to.start <= from.start)
}

function moveOn(text: string, from: End, place: Place): string {
  const day = (from.span?.day ?? place.day) + DAY_MS
  return readEnd(text, { ...place, day })?.end ?? ''
}

function readEnd(text: string, place: Place): End | null {
  if (isRelative(text)) return { start: text, end: text, span: null }
  const back = readBack(text)
  if (back && text.endsWith(' ago')) return { start: back, end: back, span: null }
  const word = WORDS[text]
  if (word?.from) return { start: word.from, end: word.to, span: null }
  const span = readMoment(text, place)
  if (!span) return null
  return { start: write(span.start), end: write(span.isLong ? span.end : span.start), span }
}

function write(moment: number): string {
  return new Date(moment).toISOString()
}
