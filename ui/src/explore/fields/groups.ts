/** The groups of fields in the panel: chosen as columns, pinned, then all others. */
import type { FieldSummary } from '../../api/search'

export type Order = 'count' | 'name'

export interface Group {
  label: string
  fields: FieldSummary[]
}

export interface Choice {
  columns: string[]
  pinned: string[]
  search: string
  order: Order
}

const byName = (one: FieldSummary, other: FieldSummary) => one.name.localeCompare(other.name)
const byCount = (one: FieldSummary, other: FieldSummary) => other.count - one.count || byName(one, other)

/** A field that no event has stays in the list, so that it can be removed. */
function findAll(names: string[], fields: FieldSummary[]): FieldSummary[] {
  const known = new Map(fields.map((field) => [field.name, field]))
  return names.map((name) => known.get(name) ?? { name, count: 0, types: {}, distinct: null, top: [] })
}

export function groupFields(fields: FieldSummary[], { columns, pinned, search, order }: Choice): Group[] {
  const wanted = search.trim().toLowerCase()
  const matches = (field: FieldSummary) => field.name.toLowerCase().includes(wanted)
  const rest = pinned.filter((name) => !columns.includes(name))
  const others = fields.filter(({ name }) => !columns.includes(name) && !rest.includes(name))
  return [
    { label: 'Columns', fields: findAll(columns, fields).filter(matches) },
    { label: 'Pinned', fields: findAll(rest, fields).filter(matches) },
    { label: 'All fields', fields: others.filter(matches).sort(order === 'count' ? byCount : byName) },
  ].filter((group) => group.fields.length)
}
