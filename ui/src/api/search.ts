/** The endpoints that read events. */
import { call, makeUrl, send, type Parameter } from './client'
import { parseJson, type Json } from './json'

/** Which events: a query, additional filters, where and when. */
export interface Scope {
  query: string
  filter: string
  env: string
  index: string
  from: string | null
  to: string | null
  timezone: string
}

export type Row = Record<string, Json>

export interface EventRow extends Row {
  _time: string
  _id: string
  _env: string
  _index: string
}

export interface Warning {
  [member: string]: Json
}

export interface Explanation {
  clauses: { query: string; hits: number }[]
  fields: { name: string; near: string[] }[]
  values: { field: string; value: string; near: string[] }[]
  outside_range: number | null
  any_field: number | null
  buffered: number
  hint: string
}

export interface Answer {
  type: 'events' | 'table'
  columns: string[]
  rows: Row[]
  cursor: string | null
  total?: number
  complete: boolean
  warnings: Warning[]
  query: string
  took_ms: number
  /** Users who may see only some indexes get no more than the number of blocks. */
  stats: { blocks: number; blocks_skipped?: number; rows_scanned?: number; bytes_read?: number }
  explanation?: Explanation
}

export interface Histogram {
  /** The field it is split by, as requested; empty for none. */
  by?: string
  interval: string
  buckets: { time: string; count: number; by?: Record<string, number> }[]
  complete: boolean
  warnings: Warning[]
}

export interface FieldSummary {
  name: string
  count: number
  types: Record<string, number>
  distinct: number | null
  top: ValueCount[]
}

export interface FieldPage {
  fields: FieldSummary[]
  /** Where the next page begins; null if this is the last one. */
  nextOffset: number | null
}

export interface ValueCount {
  value: Json
  count: number
}

export interface Suggestion {
  text: string
  kind: 'field' | 'value' | 'pipe' | 'function' | 'keyword'
  detail: string
}

export interface Parsed {
  query: string
  ast: Json
  notices: Record<string, string>[]
}

export interface IndexSummary {
  index: string
  events: number
  bytes: number
  first: string | null
  last: string | null
  days: number
}

export interface SearchOptions {
  limit?: number
  cursor?: string | null
  count?: boolean
  raw?: boolean
  /** Values that stand for `$name` in the query. */
  variables?: Record<string, string>
}

function parametersOf(scope: Scope): Record<string, Parameter> {
  return { ...scope, query: scope.query || undefined, filter: scope.filter || undefined }
}

export function search(scope: Scope, options: SearchOptions, signal: AbortSignal): Promise<Answer> {
  return call('POST', '/api/search', { body: { ...scope, ...options }, signal })
}

export function countOverTime(
  scope: Scope,
  options: { buckets?: number; interval?: string; by?: string },
  signal: AbortSignal,
): Promise<Histogram> {
  return call('POST', '/api/histogram', { body: { ...scope, ...options }, signal })
}

/** How many events have a value among the selected ones and among the rest. */
export interface ValueShare {
  value: Json
  selected: number
  rest: number
  selected_share: number
  rest_share: number
  /** Selects the events with this value. */
  filter: string
}

export interface FieldDifference {
  field: string
  score: number
  values: ValueShare[]
}

export interface Difference {
  selected: number
  rest: number
  fields: FieldDifference[]
  complete: boolean
  warnings: Warning[]
}

/** What distinguishes the events that match the scope's filter from the others that its query finds. */
export function findDifference(scope: Scope, signal: AbortSignal): Promise<Difference> {
  return call('POST', '/api/difference', { body: scope, signal })
}

export async function listFields(
  scope: Scope,
  options: { limit?: number; offset?: number; contains?: string; names?: string },
  signal: AbortSignal,
): Promise<FieldPage> {
  const response = await send('GET', '/api/fields', { query: { ...parametersOf(scope), ...options }, signal })
  const next = response.headers.get('X-Next-Offset')
  return {
    fields: parseJson(await response.text()) as unknown as FieldSummary[],
    nextOffset: next === null ? null : Number(next),
  }
}

export function countValues(
  name: string,
  scope: Scope,
  options: { limit?: number; prefix?: string },
  signal: AbortSignal,
): Promise<ValueCount[]> {
  // A slash would end the path segment, so it is encoded twice.
  const part = encodeURIComponent(name.replaceAll('%', '%25').replaceAll('/', '%2F'))
  return call('GET', `/api/fields/${part}/values`, { query: { ...parametersOf(scope), ...options }, signal })
}

export function findContext(
  env: string,
  id: string,
  options: { before: number; after: number; same?: string; raw?: boolean },
  signal: AbortSignal,
): Promise<{ rows: EventRow[]; anchor: number }> {
  return call('GET', '/api/context', { query: { env, id, ...options }, signal })
}

export function parseQuery(query: string, env: string, signal: AbortSignal): Promise<Parsed> {
  return call('POST', '/api/query/parse', { body: { query, env }, signal })
}

/** `position` counts characters as the server does: code points, not UTF-16 units. */
export function completeQuery(
  query: string,
  position: number,
  where: Pick<Scope, 'env' | 'index'> & Partial<Pick<Scope, 'from' | 'to' | 'timezone'>>,
  signal: AbortSignal,
): Promise<Suggestion[]> {
  return call('GET', '/api/query/complete', { query: { q: query, pos: position, ...where }, signal })
}

export function listIndexes(env: string, signal?: AbortSignal): Promise<IndexSummary[]> {
  return call('GET', '/api/indexes', { query: { env }, ...(signal ? { signal } : {}) })
}

export interface PlacedIndex extends IndexSummary {
  env: string
}

/** The indexes of all environments that the user may see; there must be at least one environment. */
export function listAllIndexes(signal: AbortSignal): Promise<PlacedIndex[]> {
  return call('GET', '/api/indexes', { query: { env: '*', by_env: true }, signal })
}

export function exportUrl(scope: Scope, format: 'ndjson' | 'csv' | 'parquet', columns: string[]): string {
  return makeUrl('/api/export', { ...parametersOf(scope), format, columns: columns.join(',') || undefined })
}

/** Events that become searchable from now on, as a stream without end. */
export function tailUrl(scope: Scope): string {
  const { query, filter, env, index, timezone } = parametersOf(scope)
  return makeUrl('/api/tail', { query, filter, env, index, timezone })
}
