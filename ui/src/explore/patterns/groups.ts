/** Patterns with their levels and services, assembled from rows that are split by these. */
import type { Row } from '../../api/search'
import { writeValue } from '../events/text/values'

/** The fields by which the query splits patterns. */
export const SPLIT_BY = ['level', 'service']

export interface Pattern {
  pattern: string
  count: number
  /** In percent. */
  share: number
  sample: string
  /** The field of its texts, if some patterns are not of the message. */
  text_field?: string
  first: string
  last: string
  /** The values that its events have, the most frequent first. */
  levels: string[]
  services: string[]
}

interface Split extends Omit<Pattern, 'levels' | 'services'> {
  level?: Row[string]
  service?: Row[string]
}

export const keyOf = ({ text_field, pattern }: Pick<Pattern, 'text_field' | 'pattern'>) =>
  `${text_field ?? ''}:${pattern}`

/** The most frequent patterns first. */
export function gather(rows: Row[]): Pattern[] {
  const groups = new Map<string, Split[]>()
  for (const row of rows as unknown as Split[]) {
    const key = keyOf(row)
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const total = (rows as unknown as Split[]).reduce((sum, { count }) => sum + count, 0)
  return [...groups.values()]
    .map((split) => join(split, total))
    .sort((one, other) => other.count - one.count || (one.pattern < other.pattern ? -1 : 1))
}

function join(split: Split[], total: number): Pattern {
  const [{ pattern, text_field, sample }] = split as [Split]
  const count = split.reduce((sum, each) => sum + each.count, 0)
  const moments = (name: 'first' | 'last') => split.map((each) => each[name]).sort(compareTimes)
  return {
    pattern,
    sample,
    count,
    share: (100 * count) / Math.max(1, total),
    first: moments('first')[0] ?? '',
    last: moments('last').at(-1) ?? '',
    levels: rank(split, 'level'),
    services: rank(split, 'service'),
    ...(text_field === undefined ? {} : { text_field }),
  }
}

/** Compares RFC 3339 times with different precision: within a millisecond the longer text is the later time. */
function compareTimes(one: string, other: string): number {
  return Date.parse(one) - Date.parse(other) || one.length - other.length || (one < other ? -1 : 1)
}

function rank(split: Split[], name: 'level' | 'service'): string[] {
  const counts = new Map<string, number>()
  for (const each of split) {
    const value = each[name]
    if (value === undefined || value === null) continue
    const text = writeValue(value)
    counts.set(text, (counts.get(text) ?? 0) + each.count)
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([text]) => text)
}
