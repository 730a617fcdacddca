/** Sample events of a fictional shop. */
import { call } from './client'

export interface Samples {
  env: string
  index: string[]
  ingested: number
  from: string
  to: string
}

/** Resolves when all of them are searchable. */
export function loadSamples(env: string): Promise<Samples> {
  return call('POST', '/api/samples', { body: { env } })
}
