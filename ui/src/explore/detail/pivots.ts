/** Ids that tie events together, and where they lead. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'

export interface Pivot {
  field: string
  value: Json
  label: string
}

/** Names of id fields, with any prefix and separator, and what their events have in common. */
const IDS: [RegExp, string][] = [
  [/(?:^|[._-])trace[._-]?id$/i, 'trace'],
  [/(?:^|[._-])(?:x[._-])?request[._-]?id$/i, 'request'],
  [/(?:^|[._-])correlation[._-]?id$/i, 'correlation'],
  [/(?:^|[._-])transaction[._-]?id$/i, 'transaction'],
  [/(?:^|[._-])session[._-]?id$/i, 'session'],
  [/(?:^|[._-])job[._-]?id$/i, 'job'],
]

export function listPivots(row: Row): Pivot[] {
  return Object.entries(row).flatMap(([field, value]) => {
    // `traceId` is `trace_id` too.
    const kind = IDS.find(([pattern]) => pattern.test(field))?.[1]
    const isId =
      (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'bigint'
    return kind && isId ? [{ field, value, label: `All events of this ${kind}` }] : []
  })
}

/** Kinds whose events make up one course of things. */
const COURSES = ['trace', 'request', 'correlation', 'transaction']

/** What ties an event to the others of its trace, or of its request where there is no trace. */
export function findTrace(row: Row): Pivot | null {
  const pivots = listPivots(row)
  for (const kind of COURSES) {
    const pivot = pivots.find(({ label }) => label.endsWith(` ${kind}`))
    if (pivot) return pivot
  }
  return null
}

const TIES =
  /^(?:_index|host|hostname|host\.name|service|service\.name|app|source|container|pod|k8s\.pod|k8s\.container|thread|logger|user|user\.id|client\.ip)$/i

/** Fields whose values may be asked to stay the same around an event. */
export function listTies(row: Row): string[] {
  const ids = listPivots(row).map((pivot) => pivot.field)
  const ties = Object.keys(row).filter(
    (name) => TIES.test(name) && !Array.isArray(row[name]) && name !== '_index',
  )
  return [...ties, ...ids]
}
