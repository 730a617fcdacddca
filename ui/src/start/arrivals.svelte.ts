/** Watches whether events arrive, from the moment it is started. */
import type { IndexSummary } from '../api/search'

export interface Spot {
  env: string
  index: string
}

export interface Arrival extends Spot {
  /** The number of events that have arrived since. */
  count: number
  summary: IndexSummary
}

type List = (env: string) => Promise<IndexSummary[]>

function nameOf({ env, index }: Spot): string {
  return `${env}/${index}`
}

export class Arrivals {
  found = $state.raw<Arrival[]>([])
  private readonly before = new Map<string, number>()

  constructor(private readonly list: List) {}

  get count(): number {
    return this.found.reduce((sum, each) => sum + each.count, 0)
  }

  /** The first look at a place gives the count that later ones are compared with. */
  async look(spots: Spot[]): Promise<void> {
    const envs = [...new Set(spots.map(({ env }) => env))]
    const listed = new Map(await Promise.all(envs.map(async (env) => [env, await this.list(env)] as const)))
    this.found = spots.flatMap((spot) => {
      const summary = listed.get(spot.env)?.find(({ index }) => index === spot.index)
      const before = this.recall(spot, summary?.events ?? 0)
      return summary && summary.events > before ? [{ ...spot, count: summary.events - before, summary }] : []
    })
  }

  /** If events have been removed by retention meanwhile, later ones still count. */
  private recall(spot: Spot, events: number): number {
    const name = nameOf(spot)
    const before = Math.min(this.before.get(name) ?? events, events)
    this.before.set(name, before)
    return before
  }
}
