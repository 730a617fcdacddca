/** The origin of an event: its service, or a field that stands for it. */
import type { Json } from '../../../api/json'
import type { Row } from '../../../api/search'

/** The first of these that an event has names its origin. */
export const SERVICE_FIELDS = [
  'service',
  'service.name',
  'service_name',
  'app',
  'application',
  'app.kubernetes.io/name',
  'kubernetes.container_name',
  'k8s.container.name',
  'container',
  'container.name',
  'container_name',
  'program',
  'appname',
  'host',
  'host.name',
  'hostname',
]
/** Number of events examined to choose the column. */
const SAMPLE = 100

export interface Origin {
  field: string
  value: Json
}

function hasValue(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== ''
}

export function findOrigin(row: Row, preferred: string): Origin | null {
  for (const field of [preferred, ...SERVICE_FIELDS]) {
    const value = row[field]
    if (hasValue(value)) return { field, value }
  }
  return null
}

/** The field that names the service of most events; null if none has one. */
export function chooseServiceField(rows: Row[]): string | null {
  const counts = new Map<string, number>()
  for (const row of rows.slice(0, SAMPLE)) {
    const field = SERVICE_FIELDS.find((name) => hasValue(row[name]))
    if (field) counts.set(field, (counts.get(field) ?? 0) + 1)
  }
  const [first] = [...counts].sort(([, one], [, other]) => other - one)
  return first?.[0] ?? null
}
