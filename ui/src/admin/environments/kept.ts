/** The size and the retention of an environment, in words. */
import type { Environment } from '../../api/control'
import type { PlacedIndex } from '../../api/search'
import { formatBytes } from '../../parts/numbers'
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
  return days === null ? 'forever' : formatMany(days, 'day')
}

type Limits = Pick<Environment, 'retention_days' | 'retention_bytes'>

/** `general` is the retention in days of environments without their own. */
export function describeRetention(
  { retention_days, retention_bytes }: Limits,
  general: number | null,
): string {
  const days = retention_days === null ? `${describeDays(general)} (general)` : describeDays(retention_days)
  return retention_bytes === null ? days : `${days}, at most ${formatBytes(retention_bytes)}`
}
