/** What an environment holds, and for how long. */
import type { Environment } from '../../api/control'
import type { PlacedIndex } from '../../api/search'
import { formatMany } from '../../parts/plural'

export interface Kept extends Environment {
  indexes: number
  events: number
  bytes: number
}

export function sumUp(environments: Environment[], indexes: PlacedIndex[]): Kept[] {
  const kept = environments.map((each) => ({ ...each, indexes: 0, events: 0, bytes: 0 }))
  const byId = new Map(kept.map((each) => [each.id, each]))
  for (const { env, events, bytes } of indexes) {
    const into = byId.get(env)
    if (!into) continue
    into.indexes += 1
    into.events += events
    into.bytes += bytes
  }
  return kept
}

function describeDays(days: number | null): string {
  return days === null ? 'for ever' : formatMany(days, 'day')
}

/** `general` is what holds for environments that say nothing of their own. */
export function describeRetention(own: number | null, general: number | null): string {
  return own === null ? `${describeDays(general)} (general)` : describeDays(own)
}
