/** What an environment holds, and for how long. */
import type { Environment } from '../../api/control'
import type { IndexSummary } from '../../api/search'
import { formatMany } from '../../parts/plural'

export interface Kept extends Environment {
  indexes: number
  events: number
  bytes: number
}

export function sumUp(environment: Environment, indexes: IndexSummary[]): Kept {
  return {
    ...environment,
    indexes: indexes.length,
    events: indexes.reduce((sum, each) => sum + each.events, 0),
    bytes: indexes.reduce((sum, each) => sum + each.bytes, 0),
  }
}

function describeDays(days: number | null): string {
  return days === null ? 'for ever' : formatMany(days, 'day')
}

/** `general` is what holds for environments that say nothing of their own. */
export function describeRetention(own: number | null, general: number | null): string {
  return own === null ? `${describeDays(general)} (general)` : describeDays(own)
}
