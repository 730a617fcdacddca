/** Which patterns there were before a range: those that were not are new in it. */
import * as api from '../../api/search'

/** The time right before a range, as long as the range itself; null where this is open. */
export function findTimeBefore({
  from,
  to,
}: Pick<api.Scope, 'from' | 'to'>): { from: string; to: string } | null {
  if (from === null || to === null) return null
  const length = Date.parse(to) - Date.parse(from)
  return length > 0 ? { from: new Date(Date.parse(from) - length).toISOString(), to: from } : null
}

/** The patterns of the time before; null where not all of them are known, or where there was nothing to have any. */
export async function findEarlier(scope: api.Scope, signal: AbortSignal): Promise<Set<string> | null> {
  const before = findTimeBefore(scope)
  if (!before) return null
  // On lines of their own: the query may end in a comment.
  const query = `${scope.query}\n| patterns\n| fields pattern`
  const { rows, complete } = await api.search({ ...scope, ...before, query }, {}, signal)
  return complete && rows.length ? new Set(rows.map((row) => String(row['pattern']))) : null
}
