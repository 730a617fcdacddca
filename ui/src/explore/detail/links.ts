/** Links to a single event. */
import type { EventRow, Scope } from '../../api/search'
import { writePlace } from '../../shell/address.svelte'
import { writeTest } from '../filters/filters'
import { DEFAULT_VIEW, EXPLORE, writeView, type View } from '../view'
import { pick } from '../events/text/values'

/** A link to this page with a fixed time range, which shows the same at any later time. */
export function linkEvent(view: View, scope: Scope | null, id: string): string {
  const fixed = scope ? { from: scope.from ?? '', to: scope.to ?? '' } : {}
  return writePlace(EXPLORE, writeView({ ...view, ...fixed, event: id, isLive: false }))
}

/** A link to a page with only the events around one. */
export function linkContext(rows: EventRow[], anchor: EventRow, same: string[]): string {
  const tests = same.map((name) => writeTest(name, pick(anchor, name) ?? null))
  const last = rows.at(-1)?._time ?? anchor._time
  return writePlace(
    EXPLORE,
    writeView({
      ...DEFAULT_VIEW,
      query: tests.join(' '),
      env: anchor._env,
      index: anchor._index,
      from: rows[0]?._time ?? anchor._time,
      // The end of a range is exclusive.
      to: new Date(Math.floor(Date.parse(last)) + 1).toISOString(),
      event: anchor._id,
    }),
  )
}
