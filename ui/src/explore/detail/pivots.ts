/** Ids that connect events, and links to the connected events. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'

export interface Pivot {
  field: string
  value: Json
  label: string
}

/** Names of id fields, with any prefix and separator, and what they identify. */
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

/** Kinds of ids whose events belong to one process. */
const COURSES = ['trace', 'request', 'correlation', 'transaction']

/** The id that connects an event to the others of its trace, or of its request if it has no trace. */
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

/** Fields that may be required to have the same value in the context of an event. */
export function listTies(row: Row): string[] {
  const ids = listPivots(row).map((pivot) => pivot.field)
  const ties = Object.keys(row).filter(
    (name) => TIES.test(name) && !Array.isArray(row[name]) && name !== '_index',
  )
  return [...ties, ...ids]
}
