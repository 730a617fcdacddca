/** The sparklines of patterns: counted one after the other, and only for those in view. */
import { SvelteMap } from 'svelte/reactivity'
import * as api from '../../api/search'

export interface Spark {
  values: number[]
  /** The number of events that the pattern's filter finds. */
  total: number
}

const BUCKETS = 40
const AT_ONCE = 2

/** The scope with an additional filter. */
export function narrow(scope: api.Scope, filter: string): api.Scope {
  return { ...scope, filter: scope.filter ? `${scope.filter} AND (${filter})` : filter }
}

export class Sparks {
  /** By the filter of a pattern; null if it could not be counted. */
  found = new SvelteMap<string, Spark | null>()
  /** Increases on reset, so that patterns in view are requested again. */
  round = $state(0)
  private asked = new Set<string>()
  private waiting: string[] = []
  private running = 0
  private scope: api.Scope | null = null
  private controller = new AbortController()

  /** Forget everything, because the events have changed. */
  reset(scope: api.Scope | null): void {
    this.controller.abort()
    this.controller = new AbortController()
    this.scope = scope
    this.waiting = []
    this.asked.clear()
    this.found.clear()
    this.round += 1
  }

  ask(filter: string): void {
    if (!this.scope || this.asked.has(filter)) return
    this.asked.add(filter)
    this.waiting.push(filter)
    if (this.running < AT_ONCE) void this.work()
  }

  private async work(): Promise<void> {
    this.running += 1
    for (let filter = this.waiting.shift(); filter !== undefined; filter = this.waiting.shift()) {
      const { signal } = this.controller
      const spark = await this.count(filter, signal)
      if (!signal.aborted) this.found.set(filter, spark)
    }
    this.running -= 1
  }

  private async count(filter: string, signal: AbortSignal): Promise<Spark | null> {
    if (!this.scope) return null
    try {
      const { buckets } = await api.countOverTime(narrow(this.scope, filter), { buckets: BUCKETS }, signal)
      const values = buckets.map(({ count }) => count)
      return { values, total: values.reduce((sum, count) => sum + count, 0) }
    } catch {
      // There is no sparkline if pipes do not work row by row, or if the expression is too large.
      return null
    }
  }
}
