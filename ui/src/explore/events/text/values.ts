/** Values of events: finding, showing and testing them. */
import { writeJson, type Json } from '../../../api/json'
import type { Row } from '../../../api/search'
import { writeTest } from '../../filters/filters'

/** The value of a field, ignoring case as the server does; undefined if there is none. */
export function pick(row: Row, name: string): Json | undefined {
  const value = row[name]
  if (value !== undefined) return value
  const spelled = foldNames(row).get(name.toLowerCase())
  return spelled === undefined ? undefined : row[spelled]
}

/** The folded names of each row, cached because some rows have hundreds and lookups of missing names are frequent. */
const folded = new WeakMap<Row, Map<string, string>>()

function foldNames(row: Row): Map<string, string> {
  let names = folded.get(row)
  if (!names) {
    names = new Map(
      Object.keys(row)
        .reverse()
        .map((name) => [name.toLowerCase(), name]),
    )
    folded.set(row, names)
  }
  return names
}

/** A value as text: texts unchanged, anything else as JSON. */
export function writeValue(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : writeJson(value)
}

/** A filter for events with this value; for a list, with all of its values. */
export function writeValueTest(field: string, value: Json, isIncluded: boolean): string {
  if (!Array.isArray(value)) return writeTest(field, value, isIncluded)
  if (value.length === 1) return writeTest(field, value[0] ?? null, isIncluded)
  const distinct = [...new Set(value)]
  const all = distinct.map((each) => writeTest(field, each, true)).join(' AND ')
  return isIncluded ? all : `NOT (${all})`
}

const SERVICE_NAMES = new Set(['_time', '_id', '_env', '_index'])

/** Names of an event's own fields, without the service's. */
export function listOwnNames(row: Row): string[] {
  return Object.keys(row).filter((name) => !SERVICE_NAMES.has(name))
}

export type Kind = 'text' | 'number' | 'boolean' | 'list' | 'none' | 'object'

export function kindOf(value: Json): Kind {
  if (value === null) return 'none'
  if (Array.isArray(value)) return 'list'
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'object':
      return 'object'
    default:
      return 'text'
  }
}
