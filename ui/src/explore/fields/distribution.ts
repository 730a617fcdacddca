/** How the numbers of a field are distributed: counts in a few buckets of the same width. */
import * as api from '../../api/search'
import type { Json } from '../../api/json'
import type { Spread } from './numbers'

export const MAX_BUCKETS = 20
/** If the tail is this many times as long as the rest, it is put into a single last bucket. */
const LONG_TAIL = 4
const STEPS = [1, 2, 5]

export interface Plan {
  start: number
  width: number
  count: number
  /** Whether the last bucket includes everything above it. */
  isOpen: boolean
}

export interface Bucket {
  from: number
  /** Null for a last bucket that includes everything above it. */
  to: number | null
  count: number
}

interface Ends {
  min: number
  end: number
  isOpen: boolean
}

const isFinite = (value: Json): value is number => typeof value === 'number' && Number.isFinite(value)

function findEnds({ min, p95, max }: Spread): Ends | null {
  if (!isFinite(min) || !isFinite(max) || max <= min) return null
  const isOpen = isFinite(p95) && p95 > min && max - min > LONG_TAIL * (p95 - min)
  return { min, end: isOpen ? (p95 as number) : max, isOpen }
}

/** Buckets that begin at round numbers; null if all values are equal. */
export function planBuckets(spread: Spread, isWhole: boolean): Plan | null {
  const ends = findEnds(spread)
  if (!ends) return null
  const { min, end, isOpen } = ends
  const least = Math.floor(Math.log10((end - min) / MAX_BUCKETS))
  for (let power = isWhole ? Math.max(0, least) : least; power <= least + 2 || power <= 1; power += 1) {
    for (const step of STEPS) {
      const width = Number(`${step}e${power}`)
      const start = Math.floor(min / width) * width
      const count = Math.floor((end - start) / width) + (isOpen ? 2 : 1)
      if (count <= MAX_BUCKETS) return { start, width, count, isOpen }
    }
  }
  return null
}

/** Null for a name that cannot be used in an expression. */
export function writeDistribution(query: string, field: string, plan: Plan): string | null {
  if (field.includes('`')) return null
  const { start, width, count } = plan
  const pipes = [
    `eval _place = floor((\`${field}\` - (${start})) / ${width})`,
    // Values that are not numbers have no bucket.
    'where _place:*',
    `eval _place = greatest(0, least(${count - 1}, _place))`,
    'stats count by _place',
  ]
  // On new lines, because the query may end with a comment.
  return [query || '*', ...pipes].join('\n| ')
}

export function fillBuckets(rows: api.Row[], { start, width, count, isOpen }: Plan): Bucket[] {
  const counts = new Map(rows.map((row) => [row['_place'], Number(row['count'])]))
  // Sums of fractions have meaningless trailing digits.
  const edge = (place: number) => Number((start + place * width).toPrecision(12))
  return Array.from({ length: count }, (_, place) => ({
    from: edge(place),
    to: isOpen && place === count - 1 ? null : edge(place + 1),
    count: counts.get(place) ?? 0,
  }))
}

export async function findDistribution(
  scope: api.Scope,
  field: string,
  plan: Plan | null,
  signal: AbortSignal,
): Promise<Bucket[] | null> {
  const query = plan && writeDistribution(scope.query, field, plan)
  if (!plan || query === null) return null
  const { rows } = await api.search({ ...scope, query }, { limit: MAX_BUCKETS }, signal)
  return fillBuckets(rows, plan)
}
