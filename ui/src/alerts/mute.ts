/** The choices for how long to mute an alert. */
import type { Alert } from '../api/alerts'

export const LENGTHS: [hours: number, label: string][] = [
  [1, '1 hour'],
  [4, '4 hours'],
  [24, '1 day'],
  [168, '1 week'],
]

/** The time a number of hours from now, in whole seconds. */
export function findEnd(hours: number, now: number): string {
  return new Date(1000 * Math.floor(now / 1000) + hours * 3_600_000).toISOString()
}

export function isMuted({ muted_until: until }: Pick<Alert, 'muted_until'>, now: number): boolean {
  return until !== null && Date.parse(until) > now
}
