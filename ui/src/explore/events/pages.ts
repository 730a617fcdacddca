/** The events of a query, page by page: newest first, or sorted by any field. */
import { parseQuery, search, type Answer, type Scope } from '../../api/search'
import { writeName } from '../filters/filters'
import { ROW_PIPES } from '../panels'
import { splitPipes } from '../query/pipes'

export const PAGE_EVENTS = 500
/** Pipes whose results are still events. */
const EVENT_PIPES = new Set([...ROW_PIPES, 'sort', 'limit', 'tail', 'offset', 'dedup', 'sample'])

/** A field to sort by, with a leading minus for descending order; empty means newest first. */
export type Sort = string

export function readSort(sort: Sort): { field: string; isDescending: boolean } {
  return sort.startsWith('-')
    ? { field: sort.slice(1), isDescending: true }
    : { field: sort, isDescending: false }
}

/** The query with its events sorted, from one row up to another. */
export function writeSorted(query: string, sort: Sort, start: number, end: number): string {
  const { field, isDescending } = readSort(sort)
  // On a new line, because the query may end with a comment.
  const filter = query.trim() || '*'
  const pipes = [`sort ${isDescending ? '-' : ''}${writeName(field)}`, `limit ${end}`]
  if (start) pipes.push(`offset ${start}`)
  return `${filter}${filter.includes('#') ? '\n' : ' '}| ${pipes.join(' | ')}`
}

/** Whether a query in its canonical form is answered with events. */
export function findsEvents(canonical: string): boolean {
  const [, ...pipes] = splitPipes(canonical)
  return pipes.every((pipe) => EVENT_PIPES.has(pipe.split(/\s/, 1)[0] ?? ''))
}

async function maySort({ query, env }: Scope, signal: AbortSignal): Promise<boolean> {
  if (!query.includes('|')) return true
  return findsEvents((await parseQuery(query, env, signal)).query)
}

/** The page after a cursor; the first page includes the total number of events. */
export async function findPage(
  scope: Scope,
  sort: Sort,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Answer> {
  if (sort && (cursor !== null || (await maySort(scope, signal)))) {
    return findSorted(scope, sort, Number(cursor ?? 0), signal)
  }
  const count = cursor === null ? { count: true } : {}
  return search(scope, { limit: PAGE_EVENTS, cursor, ...count }, signal)
}

/** Sorted results have no server cursor, so the number of preceding rows is used instead. */
async function findSorted(scope: Scope, sort: Sort, start: number, signal: AbortSignal): Promise<Answer> {
  const end = start + PAGE_EVENTS
  const sorted = { ...scope, query: writeSorted(scope.query, sort, start, end) }
  const [page, all] = await Promise.all([
    search(sorted, { limit: PAGE_EVENTS }, signal),
    start ? null : search(scope, { limit: 0, count: true }, signal),
  ])
  const cursor = page.rows.length < PAGE_EVENTS ? null : String(end)
  if (!all) return { ...page, cursor }
  return { ...page, cursor, query: all.query, ...(all.total === undefined ? {} : { total: all.total }) }
}
