/** The moments that charts over time mark: events found by a query, or alerts that fired. */
import { listAlerts, readHistory } from '../api/alerts'
import { search, type Scope } from '../api/search'
import { findWithin, MOST_MOMENTS, readMoments, type Moment } from './moments'
import { showLine } from '../text/harmless'

/** Used in place of a query; no query starts like this. */
export const ALERTS = '@alerts'
const MOST_ALERTS = 30

export async function findMoments(marks: string, scope: Scope, signal: AbortSignal): Promise<Moment[]> {
  if (marks === ALERTS) return findFirings(scope, signal)
  const { rows } = await search({ ...scope, query: marks, filter: '' }, { limit: MOST_MOMENTS }, signal)
  return readMoments(rows)
}

export async function findFirings(
  { from, to }: Pick<Scope, 'from' | 'to'>,
  signal: AbortSignal,
): Promise<Moment[]> {
  const { value: alerts } = await listAlerts(signal)
  const found = await Promise.all(
    alerts.slice(0, MOST_ALERTS).map(async ({ id, name }) => {
      const episodes = await readHistory(id, signal)
      return episodes.map((each) => ({ time: Date.parse(each.from), label: `${showLine(name)} fires` }))
    }),
  )
  const [start, end] = [from ? Date.parse(from) : -Infinity, to ? Date.parse(to) : Infinity]
  return findWithin(
    found.flat().sort((one, other) => one.time - other.time),
    start,
    end,
  )
}
