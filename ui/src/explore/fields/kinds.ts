/** The kinds of values that a field has, for display. */
import type { FieldSummary, Row } from '../../api/search'
import { formatShare } from '../../parts/numbers'
import { pick, type Kind } from '../events/text/values'

export type FieldKind = 'text' | 'number' | 'boolean' | 'time' | 'list' | 'mixed'

export const GLYPHS: Record<FieldKind | Kind, string> = {
  text: 'T',
  number: '#',
  boolean: '±',
  time: '◷',
  list: '[]',
  mixed: '≈',
  none: '∅',
  object: '{}',
}

const KINDS: Record<string, FieldKind> = {
  str: 'text',
  int: 'number',
  float: 'number',
  bool: 'boolean',
}
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/
/** Number of rows examined to recognise lists and times, which the types do not show. */
const SAMPLE = 100

/** The most useful kind: it decides how the field is shown and what is shown about its values. */
export function kindOfField(field: FieldSummary, rows: Row[]): FieldKind {
  const kinds = new Set(Object.keys(field.types).map((type) => KINDS[type] ?? 'text'))
  if (kinds.size > 1) return 'mixed'
  const [kind = 'text'] = kinds
  const values = [
    ...field.top.map((each) => each.value),
    ...rows.slice(0, SAMPLE).map((row) => pick(row, field.name)),
  ].filter((value) => value !== undefined)
  if (values.some((value) => Array.isArray(value))) return 'list'
  const isTime = values.length > 0 && values.every((value) => typeof value === 'string' && TIME.test(value))
  return kind === 'text' && isTime ? 'time' : kind
}

export function hasNumbers(field: FieldSummary): boolean {
  return Object.keys(field.types).some((type) => KINDS[type] === 'number')
}

/** `int 80 %, str 20 %`, the most frequent first; the type alone where there is one. */
export function describeMix(types: Record<string, number>): string {
  const sorted = Object.entries(types).sort(([, one], [, other]) => other - one)
  const sum = sorted.reduce((total, [, count]) => total + count, 0)
  if (sorted.length < 2) return sorted[0]?.[0] ?? ''
  return sorted.map(([type, count]) => `${type} ${formatShare(count, sum)}`).join(', ')
}
