/** How often patterns occur over time: counted one after the other, only for those that are looked at. */
import { SvelteMap } from 'svelte/reactivity'
import * as api from '../../api/search'
import { makePatternFilter } from './filter'

export interface Spark {
  values: number[]
  /** How many events the pattern's filter finds. */
  total: number
}

const BUCKETS = 40
const AT_ONCE = 2

/** The scope with a further filter. */
export function narrow(scope: api.Scope, filter: string): api.Scope {
  return { ...scope, filter: scope.filter ? `${scope.filter} AND (${filter})` : filter }
}

export class Sparks {
  /** By pattern; null where it could not be counted. */
  found = new SvelteMap<string, Spark | null>()
  /** Grows when all is forgotten, so that what is in view asks again. */
  round = $state(0)
  private asked = new Set<string>()
  private waiting: string[] = []
  private running = 0
  private scope: api.Scope | null = null
  private controller = new AbortController()

  /** Forget everything: other events are looked at. */
  reset(scope: api.Scope | null): void {
    this.controller.abort()
    this.controller = new AbortController()
    this.scope = scope
    this.waiting = []
    this.asked.clear()
    this.found.clear()
    this.round += 1
  }

  ask(pattern: string): void {
    if (!this.scope || this.asked.has(pattern)) return
    this.asked.add(pattern)
    this.waiting.push(pattern)
    if (this.running < AT_ONCE) void this.work()
  }

  private async work(): Promise<void> {
    this.running += 1
    for (let pattern = this.waiting.shift(); pattern !== undefined; pattern = this.waiting.shift()) {
      const { signal } = this.controller
      const spark = await this.count(pattern, signal)
      if (!signal.aborted) this.found.set(pattern, spark)
    }
    this.running -= 1
  }

  private async count(pattern: string, signal: AbortSignal): Promise<Spark | null> {
    const filter = makePatternFilter(pattern)
    if (!this.scope || filter === null) return null
    try {
      const { buckets } = await api.countOverTime(narrow(this.scope, filter), { buckets: BUCKETS }, signal)
      const values = buckets.map(({ count }) => count)
      return { values, total: values.reduce((sum, count) => sum + count, 0) }
    } catch {
      // Of a query whose pipes do not work row by row, or an expression that is too large, there is no picture.
      return null
    }
  }
}
