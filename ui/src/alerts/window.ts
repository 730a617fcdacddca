/** Where the events behind an alert are. */
import type { Alert } from '../api/alerts'
import { DEFAULT_VIEW, type View } from '../explore/view'
import type { Range } from '../time/range'

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
