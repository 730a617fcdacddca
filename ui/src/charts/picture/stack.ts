/** Counts over time, split by the values of a field, as stacked bars. Levels have their own colours. */
import type { Histogram } from '../../api/search'
import { areaToken, levelToken, seriesToken } from '../../parts/colours'
import { endBucket, readInterval } from '../spans/intervals'

export interface Level {
  /** The name in the answer. */
  name: string
  /** The level or other value; null for events without one, undefined for all other values together. */
  value: string | null | undefined
  token: string
  total: number
}

export interface Bucket {
  /** In milliseconds; the end is not part of it. */
  from: number
  to: number
  count: number
  /** In the order of the levels. */
  counts: number[]
}

export interface Stack {
  levels: Level[]
  buckets: Bucket[]
  total: number
}

/** The field whose values have their own colours and order. */
export const LEVEL = 'level'
const ALL = 'all'
const LOUD = new Set(['--level-warn', '--level-error', '--level-fatal'])

/** The colour of an area: softer than that of a level's text, so that errors stand out. */
export function fillLevel(token: string): string {
  return LOUD.has(token) || token.startsWith('--series')
    ? `var(${areaToken(token)})`
    : `color-mix(in srgb, var(${token}) 65%, var(--surface))`
}

/** From the top of a bar to its bottom: the worst levels are at the bottom, where they can be compared. */
const ORDER = [
  '--level-none',
  '--level-trace',
  '--level-debug',
  '--level-info',
  '--level-warn',
  '--level-error',
  '--level-fatal',
]
const VALUES: Record<string, null | undefined> = { null: null, other: undefined }
/** A value that looks like one of these names is in quotes. */
const QUOTED = /^"+(null|other)"+$/

function readValue(name: string): Level['value'] {
  if (Object.hasOwn(VALUES, name)) return VALUES[name]
  return QUOTED.test(name) ? name.slice(1, -1) : name
}

function countAll(buckets: Histogram['buckets']): Omit<Level, 'token'>[] {
  const totals = new Map<string, number>()
  for (const { by } of buckets)
    for (const [name, count] of Object.entries(by ?? {})) totals.set(name, (totals.get(name) ?? 0) + count)
  return [...totals].map(([name, total]) => ({ name, value: readValue(name), total }))
}

function listLevels(buckets: Histogram['buckets']): Level[] {
  const levels = countAll(buckets).map((each) => ({ ...each, token: levelToken(each.value) }))
  const rank = ({ token }: Level) => ORDER.indexOf(token)
  return levels.sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1))
}

/** The most frequent one is at the bottom and has the first colour. */
function listValues(buckets: Histogram['buckets']): Level[] {
  const counted = countAll(buckets).sort((one, other) => other.total - one.total)
  const named = counted.filter(({ value }) => typeof value === 'string')
  const rest = counted.filter(({ value }) => typeof value !== 'string')
  const values = named.map((each, place) => ({ ...each, token: seriesToken(place) }))
  return [...rest.map((each) => ({ ...each, token: '--level-none' })), ...values.reverse()]
}

/** All events together. */
function listOne(buckets: Histogram['buckets']): Level[] {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  return [{ name: ALL, value: undefined, token: '--series-1', total }]
}

export function stackLevels(histogram: Histogram, zone: string): Stack {
  const { by: field = LEVEL } = histogram
  const list = field === LEVEL ? listLevels : field ? listValues : listOne
  const levels = list(histogram.buckets)
  const starts = histogram.buckets.map(({ time }) => Date.parse(time))
  const length = readInterval(histogram.interval) ?? 1
  const buckets = histogram.buckets.map(({ count, by }, place) => {
    const from = starts[place] ?? 0
    const to = starts[place + 1] ?? endBucket(from, length, zone)
    return { from, to, count, counts: levels.map(({ name }) => (field ? (by?.[name] ?? 0) : count)) }
  })
  return { levels, buckets, total: buckets.reduce((sum, { count }) => sum + count, 0) }
}

/** For each level the height of its top edge in each bucket; the first is the highest and is drawn behind the others. */
export function findTops({ levels, buckets }: Stack): number[][] {
  return levels.map((_level, place) =>
    buckets.map(({ counts }) => counts.slice(place).reduce((sum, count) => sum + count, 0)),
  )
}

/** The index of the bucket that contains a moment, or of the nearest one; -1 if there are none. */
export function findBucket(buckets: Bucket[], moment: number): number {
  const next = buckets.findIndex(({ to }) => moment < to)
  return next < 0 ? buckets.length - 1 : next
}

/** The part of a span that lies within bounds (RFC 3339, null for none), at least a millisecond long. */
export function clipSpan(
  span: { from: number; to: number },
  bounds: { from: string | null; to: string | null },
): { from: string; to: string } {
  const from = Math.floor(bounds.from === null ? span.from : Math.max(span.from, Date.parse(bounds.from)))
  const end = Math.ceil(bounds.to === null ? span.to : Math.min(span.to, Date.parse(bounds.to)))
  return { from: new Date(from).toISOString(), to: new Date(Math.max(end, from + 1)).toISOString() }
}
