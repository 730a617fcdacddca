/** The patterns before a range: all others in the range are new. */
import * as api from '../../api/search'

/** The time right before a range, with the same length; null if the range has no start. */
export function findTimeBefore({
  from,
  to,
}: Pick<api.Scope, 'from' | 'to'>): { from: string; to: string } | null {
  if (from === null || to === null) return null
  const length = Date.parse(to) - Date.parse(from)
  return length > 0 ? { from: new Date(Date.parse(from) - length).toISOString(), to: from } : null
}

/** The patterns of the previous period; null if not all of them are known, or if it has no events. */
export async function findEarlier(scope: api.Scope, signal: AbortSignal): Promise<Set<string> | null> {
  const before = findTimeBefore(scope)
  if (!before) return null
  // On new lines, because the query may end with a comment.
  const query = `${scope.query}\n| patterns\n| fields pattern`
  const { rows, complete } = await api.search({ ...scope, ...before, query }, {}, signal)
  return complete && rows.length ? new Set(rows.map((row) => String(row['pattern']))) : null
}
