/** Tables that queries join events with. */
import { call } from './client'
import { change, readTagged, type Tagged } from './tagged'

export interface Lookup {
  /** Its name. */
  id: string
  name: string
  columns: string[]
  rows: number
}

const pathOf = (name: string) => `/api/lookups/${encodeURIComponent(name)}`

export function listLookups(signal?: AbortSignal): Promise<Tagged<Lookup[]>> {
  return readTagged('/api/lookups', signal)
}

/** The table as it was uploaded, header line first. */
export async function readLookup(name: string, signal?: AbortSignal): Promise<string> {
  const { csv } = await call<{ csv: string }>('GET', pathOf(name), signal ? { signal } : {})
  return csv
}

/** Creates a table, or replaces the one of that name. */
export function keepLookup(name: string, csv: string, tag: string): Promise<Lookup> {
  return change('PUT', pathOf(name), tag, { body: { csv } })
}

export function deleteLookup(name: string, tag: string): Promise<void> {
  return change('DELETE', pathOf(name), tag)
}
