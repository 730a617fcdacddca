/** The queries that were run on this device, the newest first. */
import { keep, recall } from '../../shell/preferences.svelte'
import type { View } from '../view'

export interface Past {
  query: string
  filters: View['filters']
  env: string
  index: string
  from: string
  to: string
  /** When it was run, RFC 3339. */
  time: string
}

const KEY = 'logboom.history'
const MAX_PAST = 100

class History {
  past = $state.raw(recall<Past[]>(KEY, []))

  add(view: View): void {
    const { query, filters, env, index, from, to } = view
    if (!query && !filters.length) return
    const entry = { query, filters, env, index, from, to, time: new Date().toISOString() }
    const same = (each: Past) =>
      each.query === query && JSON.stringify(each.filters) === JSON.stringify(filters)
    this.past = [entry, ...this.past.filter((each) => !same(each))].slice(0, MAX_PAST)
    keep(KEY, this.past)
  }

  clear(): void {
    this.past = []
    keep(KEY, this.past)
  }
}

export const history = new History()

export function remember(view: View): void {
  history.add(view)
}
