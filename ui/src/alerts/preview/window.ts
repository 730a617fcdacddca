/** Views of the events behind an alert. */
import type { Alert, Episode } from '../../api/alerts'
import { DEFAULT_VIEW, type View } from '../../explore/view'
import type { Range } from '../../time/range'

/** The window of the last known check; for an alert that is not firing, a relative window. */
export function findWindow({ state, window_secs: seconds }: Pick<Alert, 'state' | 'window_secs'>): Range {
  const end = state.checked ?? state.since
  if (state.status !== 'firing' || !end) return { from: `-${seconds}s`, to: 'now' }
  return { from: new Date(Date.parse(end) - seconds * 1000).toISOString(), to: end }
}

/** The Explore view with the alert's query, over its window. */
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

/** The same for one of its firings, including the window before the first check. */
export function findEpisodeView(alert: Alert, { from, to }: Pick<Episode, 'from' | 'to'>): View {
  const start = Date.parse(from) - 1000 * (alert.window_secs + alert.for_secs)
  return { ...findView(alert), from: new Date(start).toISOString(), to: to ?? 'now' }
}
