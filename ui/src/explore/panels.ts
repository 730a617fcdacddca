/** The scope of the panels beside a result. */
import { parseQuery, type Scope } from '../api/search'
import { joinPipes, splitPipes } from './query/pipes'

/** Pipes that change or drop single events. */
export const ROW_PIPES = new Set([
  'where',
  'eval',
  'fields',
  'drop',
  'rename',
  'rex',
  'extract',
  'unpack',
  'replace',
  'fillnull',
  'lookup',
])

/** A query up to the first pipe whose results are not events. */
export function keepRows(canonical: string): string {
  const [filter, ...pipes] = splitPipes(canonical)
  const end = pipes.findIndex((pipe) => !ROW_PIPES.has(pipe.split(/\s/, 1)[0] ?? ''))
  return joinPipes([filter, ...(end < 0 ? pipes : pipes.slice(0, end))])
}

/** The scope of the events behind a query, even if its answer is a table. */
export async function findPanelScope(scope: Scope): Promise<Scope> {
  if (!scope.query.includes('|')) return scope
  try {
    const { query } = await parseQuery(scope.query, scope.env, new AbortController().signal)
    return { ...scope, query: keepRows(query) }
  } catch {
    // Errors in the query are reported by the search.
    return scope
  }
}
