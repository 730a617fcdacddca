/** Durations as people write them: `3h`, `15 min`, `1h30m`, `2 weeks`. */

export interface Length {
  count: number
  unit: Unit
}

export type Unit = 's' | 'm' | 'h' | 'd' | 'w' | 'mon' | 'y'

const SPELLINGS: Record<Unit, string> = {
  s: 's sec secs second seconds',
  m: 'm min mins minute minutes',
  h: 'h hr hrs hour hours',
  d: 'd day days',
  w: 'w wk wks week weeks',
  mon: 'mo mon mons month months',
  y: 'y yr yrs year years',
}

const UNITS = new Map(
  Object.entries(SPELLINGS).flatMap(([unit, names]) =>
    names.split(' ').map((name) => [name, unit as Unit] as const),
  ),
)

/** In seconds, for units of fixed length; days and months vary. */
const SECONDS: Partial<Record<Unit, number>> = { s: 1, m: 60, h: 3600 }
const PART = /(\d+(?:\.\d+)?)\s*([a-z]+)/g
const WHOLE = /^(?:\d+(?:\.\d+)?\s*[a-z]+(?:\s*,?\s*(?:and\s+)?))+$/

export function readUnit(name: string): Unit | null {
  return UNITS.get(name) ?? null
}

/** In one unit; null if it is not a duration, or mixes units of variable length. */
export function readLength(text: string): Length | null {
  if (!WHOLE.test(text)) return null
  const parts: Length[] = []
  for (const [, count, name] of text.matchAll(PART)) {
    const unit = readUnit(name ?? '')
    if (!unit) return null
    parts.push({ count: Number(count), unit })
  }
  return join(parts)
}

function join(parts: Length[]): Length | null {
  const [first] = parts
  if (!first) return null
  if (parts.length === 1 && Number.isInteger(first.count)) return first
  let total = 0
  for (const { count, unit } of parts) {
    // Combined with hours, a day is 24 hours.
    const seconds = unit === 'd' ? 86_400 : SECONDS[unit]
    if (seconds === undefined) return null
    total += count * seconds
  }
  total = Math.round(total)
  for (const unit of ['h', 'm'] as const) {
    const size = SECONDS[unit]
    if (size && total % size === 0) return { count: total / size, unit }
  }
  return { count: total, unit: 's' }
}
