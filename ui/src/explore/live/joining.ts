/** Joins events that arrived live with those that were found. */
import type { Row } from '../../api/search'

/** Each event once, because a search after its arrival finds it too. */
export function joinRows(arrived: Row[], found: Row[]): Row[] {
  if (!arrived.length) return found
  const known = new Set(found.map((row) => row['_id']))
  const fresh = arrived.filter((row) => !known.has(row['_id'] ?? null))
  return fresh.length ? [...fresh, ...found] : found
}
