/** Saved queries: the user's own and shared ones. */
import { call } from './client'

export interface QueryDraft {
  name: string
  query: string
  description: string
  filters: string[]
  env: string
  index: string
  from: string | null
  to: string | null
  columns: string[]
  is_shared: boolean
}

export interface SavedQuery extends QueryDraft {
  id: string
  /** By this user. */
  is_starred: boolean
  owner: string
  created: string
  updated: string
}

export function listQueries(signal?: AbortSignal): Promise<SavedQuery[]> {
  return call('GET', '/api/queries', signal ? { signal } : {})
}

export function createQuery(draft: QueryDraft): Promise<SavedQuery> {
  return call('POST', '/api/queries', { body: draft })
}

export function changeQuery(id: string, change: Partial<QueryDraft>): Promise<SavedQuery> {
  return call('PATCH', `/api/queries/${encodeURIComponent(id)}`, { body: change })
}

export function deleteQuery(id: string): Promise<void> {
  return call('DELETE', `/api/queries/${encodeURIComponent(id)}`)
}

export function starQuery(id: string, isStarred: boolean): Promise<void> {
  return call(isStarred ? 'PUT' : 'DELETE', `/api/queries/${encodeURIComponent(id)}/star`)
}
