/** The saved queries that the user may see, and the actions for them. */
import * as api from '../../api/queries'
import { Loader } from '../../shell/loader.svelte'
import { forget, recall } from '../../shell/preferences.svelte'
import { session } from '../../shell/session.svelte'
import type { View } from '../view'

/** The key under which earlier releases kept stars in the browser. */
const STARRED_IN_BROWSER = 'logboom.starred'

export class Saved {
  list = new Loader<api.SavedQuery[]>()

  /** Starred ones first, then the user's own, then those of others; each group by name. */
  sorted = $derived(
    [...(this.list.value ?? [])].sort(
      (one, other) =>
        Number(other.is_starred) - Number(one.is_starred) ||
        Number(this.isMine(other)) - Number(this.isMine(one)) ||
        one.name.localeCompare(other.name),
    ),
  )

  load(): void {
    void this.list.load(async (signal) => carryStars(await api.listQueries(signal)))
  }

  isMine(query: api.SavedQuery): boolean {
    return query.owner === session.user?.username
  }

  async star(query: api.SavedQuery): Promise<void> {
    await api.starQuery(query.id, !query.is_starred)
    this.load()
  }

  mayChange(query: api.SavedQuery): boolean {
    return this.isMine(query) || (query.is_shared && session.mayEdit)
  }

  /** Save the view under a name: replaces the user's own query of that name, or creates a new one. */
  async save(view: View, name: string, description: string, isShared: boolean): Promise<void> {
    const draft = { ...draftOf(view), name, description, is_shared: isShared }
    const same = this.sorted.find((each) => each.name === name && this.isMine(each))
    await (same ? api.changeQuery(same.id, draft) : api.createQuery(draft))
    this.load()
  }

  async share(query: api.SavedQuery, isShared: boolean): Promise<void> {
    await api.changeQuery(query.id, { is_shared: isShared })
    this.load()
  }

  async rename(query: api.SavedQuery, name: string): Promise<void> {
    await api.changeQuery(query.id, { name })
    this.load()
  }

  async drop(query: api.SavedQuery): Promise<void> {
    await api.deleteQuery(query.id)
    this.load()
  }
}

/** Move the stars of this browser to the server, once. */
async function carryStars(queries: api.SavedQuery[]): Promise<api.SavedQuery[]> {
  const starred = recall<unknown>(STARRED_IN_BROWSER, null)
  if (!Array.isArray(starred)) return queries
  for (const { id, is_starred } of queries)
    if (!is_starred && starred.includes(id)) await api.starQuery(id, true)
  forget(STARRED_IN_BROWSER)
  return queries.map((query) => ({ ...query, is_starred: query.is_starred || starred.includes(query.id) }))
}

function draftOf(view: View): Omit<api.QueryDraft, 'name' | 'description' | 'is_shared'> {
  return {
    query: view.query,
    filters: view.filters.filter((filter) => filter.isEnabled).map((filter) => filter.text),
    env: view.env,
    index: view.index,
    from: view.from || null,
    to: view.to || null,
    columns: view.columns,
  }
}

/** The part of a view that a saved query sets. */
export function viewOf(saved: api.SavedQuery): Partial<View> & { query: string } {
  return {
    query: saved.query,
    filters: saved.filters.map((text) => ({ text, isEnabled: true })),
    env: saved.env,
    index: saved.index,
    from: saved.from === null ? '' : String(saved.from),
    to: saved.to === null ? '' : String(saved.to),
    columns: saved.columns,
    event: null,
    isLive: false,
  }
}
