/** Records of the audit trail, the newest first, page by page. */
import {
  countValues,
  search,
  type Answer,
  type EventRow,
  type Scope,
  type ValueCount,
} from '../../api/search'
import { toasts } from '../../parts/toasts.svelte'
import { Loader } from '../../shell/loader.svelte'
import { resolve } from '../../time/range'
import { ENV, EVERYTHING, INDEX, writeQuery, type Wanted } from './wanted'

const PAGE = 100
const MOST_VALUES = 200

export function scopeOf(wanted: Wanted, zone: string): Scope {
  return {
    query: writeQuery(wanted),
    filter: '',
    env: ENV,
    index: INDEX,
    ...resolve(wanted, Date.now(), zone),
    timezone: zone === 'local' ? 'UTC' : zone,
  }
}

export class Records {
  readonly first = new Loader<Answer>()
  private further = $state.raw<Answer[]>([])
  isLoadingMore = $state(false)
  private scope: Scope | null = null

  get rows(): EventRow[] | null {
    if (!this.first.value) return null
    return [this.first.value, ...this.further].flatMap((each) => each.rows as EventRow[])
  }

  get total(): number | null {
    return this.first.value?.total ?? null
  }

  get hasMore(): boolean {
    return Boolean(this.last?.cursor)
  }

  private get last(): Answer | null {
    return this.further.at(-1) ?? this.first.value
  }

  async load(scope: Scope): Promise<void> {
    this.scope = scope
    const answer = await this.first.load((signal) => search(scope, { limit: PAGE, count: true }, signal))
    if (answer && this.scope === scope) this.further = []
  }

  async loadMore(): Promise<void> {
    const { scope, last } = this
    if (!scope || !last?.cursor || this.isLoadingMore) return
    this.isLoadingMore = true
    try {
      const { signal } = new AbortController()
      const answer = await search(scope, { limit: PAGE, cursor: last.cursor }, signal)
      if (this.scope === scope) this.further = [...this.further, answer]
    } catch (error) {
      toasts.complain(error)
    } finally {
      this.isLoadingMore = false
    }
  }
}

/** The field's values in the audit trail, to choose from; at any time, because there are only few events. */
export function listValues(field: string, signal: AbortSignal): Promise<ValueCount[]> {
  const scope = {
    query: EVERYTHING,
    filter: '',
    env: ENV,
    index: INDEX,
    from: null,
    to: null,
    timezone: 'UTC',
  }
  return countValues(field, scope, { limit: MOST_VALUES }, signal)
}
