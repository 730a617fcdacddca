/** Addresses of the Explore page, for links from other pages. */
import type { IndexSummary } from '../api/search'
import { DEFAULT_VIEW, EXPLORE, writeView, type View } from './view'
import { writePlace } from '../shell/address.svelte'

const HOUR_MS = 3_600_000

export function toSendPlace(env: string, shipper = ''): string {
  const parameters = new URLSearchParams(env === DEFAULT_VIEW.env ? {} : { env })
  return writePlace(shipper ? `/send/${shipper}` : '/send', parameters)
}

export function toExplorePlace(view: Partial<View>): string {
  return writePlace(EXPLORE, writeView({ ...DEFAULT_VIEW, ...view }))
}

/** All events of an index, from the first to the last; the last hour if there are none. */
export function toIndexPlace(env: string, summary: IndexSummary, now = Date.now()): string {
  return toExplorePlace({ env, index: summary.index, ...rangeOf(summary, now) })
}

/** The end is exclusive, so it is a millisecond after the last event; now if events are still arriving. */
export function rangeOf({ first, last }: IndexSummary, now: number): Pick<View, 'from' | 'to'> {
  if (!first || !last) return { from: DEFAULT_VIEW.from, to: DEFAULT_VIEW.to }
  const start = Date.parse(first)
  const end = Date.parse(last) + 1
  const isRecent = end > now - HOUR_MS && end <= now
  if (isRecent && start > now - HOUR_MS) return { from: DEFAULT_VIEW.from, to: DEFAULT_VIEW.to }
  return { from: new Date(start).toISOString(), to: isRecent ? 'now' : new Date(end).toISOString() }
}
