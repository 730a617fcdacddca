/** Short links to pages. */
import { call } from './client'

export interface Link {
  id: string
  /** A page and its parameters, as they appear after `#`. */
  address: string
}

export function createLink(address: string): Promise<Link> {
  return call('POST', '/api/links', { body: { address } })
}

export function readLink(id: string, signal: AbortSignal): Promise<Link> {
  return call('GET', `/api/links/${encodeURIComponent(id)}`, { signal })
}
