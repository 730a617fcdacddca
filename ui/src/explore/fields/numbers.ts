/** Statistics of a numeric field, from one request to the server. */
import * as api from '../../api/search'
import type { Json } from '../../api/json'

export interface Spread {
  min: Json
  avg: Json
  p95: Json
  max: Json
}

const EXACT = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

/** Null for a name that cannot be used in an expression. */
export function writeSpread(query: string, field: string): string | null {
  if (field.includes('`')) return null
  const name = `\`${field}\``
  // On a new line, because the query may end with a comment.
  return `${query || '*'}\n| stats min(${name}) as min, avg(${name}) as avg, p95(${name}) as p95, max(${name}) as max`
}

export async function findSpread(
  scope: api.Scope,
  field: string,
  signal: AbortSignal,
): Promise<Spread | null> {
  const query = writeSpread(scope.query, field)
  if (query === null) return null
  const { rows } = await api.search({ ...scope, query }, { limit: 1 }, signal)
  const row = rows[0]
  return row
    ? { min: row['min'] ?? null, avg: row['avg'] ?? null, p95: row['p95'] ?? null, max: row['max'] ?? null }
    : null
}

export function showNumber(value: Json): string {
  if (typeof value === 'number') return EXACT.format(value)
  return value === null ? '–' : String(value)
}
