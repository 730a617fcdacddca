/** Events of a made-up shop, to try things with. */
import { call } from './client'

export interface Samples {
  env: string
  index: string[]
  ingested: number
  from: string
  to: string
}

/** Answers when all of them can be found. */
export function loadSamples(env: string): Promise<Samples> {
  return call('POST', '/api/samples', { body: { env } })
}
