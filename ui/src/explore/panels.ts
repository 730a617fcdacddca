/** Which events the panels beside a result show. */
import { parseQuery, type Scope } from '../api/search'
import { joinPipes, splitPipes } from './query/pipes'

/** Pipes that make an event of each event, or leave it out. */
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

/** A query without the pipes that make something else than events, and without all that come after. */
export function keepRows(canonical: string): string {
  const [filter, ...pipes] = splitPipes(canonical)
  const end = pipes.findIndex((pipe) => !ROW_PIPES.has(pipe.split(/\s/, 1)[0] ?? ''))
  return joinPipes([filter, ...(end < 0 ? pipes : pipes.slice(0, end))])
}

/** Where the events of a question are, also when its answer is a table of them. */
export async function findPanelScope(scope: Scope): Promise<Scope> {
  if (!scope.query.includes('|')) return scope
  try {
    const { query } = await parseQuery(scope.query, scope.env, new AbortController().signal)
    return { ...scope, query: keepRows(query) }
  } catch {
    // Whatever is wrong with the query, the search says it better.
    return scope
  }
}
