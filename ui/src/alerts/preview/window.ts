/** Where the events behind an alert are. */
import type { Alert, Episode } from '../../api/alerts'
import { DEFAULT_VIEW, type View } from '../../explore/view'
import type { Range } from '../../time/range'

/** What the newest check that is known looked at; of an alert that does not fire, the window that moves with time. */
export function findWindow({ state, window_secs: seconds }: Pick<Alert, 'state' | 'window_secs'>): Range {
  const end = state.checked ?? state.since
  if (state.status !== 'firing' || !end) return { from: `-${seconds}s`, to: 'now' }
  return { from: new Date(Date.parse(end) - seconds * 1000).toISOString(), to: end }
}

/** What the Explore page shows with the question of the alert, over its window. */
export function findView(alert: Alert): View {
  const { query, filters, env, index } = alert
  return {
    ...DEFAULT_VIEW,
    query,
    env,
    index,
    filters: filters.map((text) => ({ text, isEnabled: true })),
    ...findWindow(alert),
  }
}

/** The same over a time in which it fired, with the window before its first check. */
export function findEpisodeView(alert: Alert, { from, to }: Pick<Episode, 'from' | 'to'>): View {
  const start = Date.parse(from) - 1000 * (alert.window_secs + alert.for_secs)
  return { ...findView(alert), from: new Date(start).toISOString(), to: to ?? 'now' }
}
