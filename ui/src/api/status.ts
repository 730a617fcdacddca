/** The status of the node. */
import { call } from './client'

export interface NodeStatus {
  node: string
  state: 'up' | 'missing' | 'unknown'
  version: string | null
  roles: string[]
  started: string | null
  last_seen: string | null
  sync_age_secs: number | null
  buffer_age_secs: number | null
  leases: string[]
  cache_bytes: number | null
  wal_position: number
  is_self: boolean
}

export interface Status {
  version: string
  node: string
  started: string
  uptime_secs: number
  ready: boolean
  problem: string | null
  ingest: {
    events_per_sec: number
    bytes_per_sec: number
    events_total: number
    bytes_total: number
    errors_total: number
    requests_total: number
    throttled_total: number
    overloads_total: number
    history: { time: string; events: number }[]
  }
  queue: { waiting: number; capacity: number }
  buffer: { events: number; bytes: number; oldest_age_secs: number | null }
  wal: { segments: number; bytes: number }
  store: {
    url: string
    blocks: number
    events: number
    bytes: number
    first: string | null
    last: string | null
    days: number
  }
  disk: { path: string; total_bytes: number; free_bytes: number }
  memory: { rss_bytes: number }
  searches: { running: number; waiting: number; total: number }
  syslog: {
    state: 'off' | 'listening' | 'failed'
    error: string | null
    connections: number
    received_total: number
    dropped_total: number
  }
  sources: { total: number; enabled: number; failing: number }
  nodes: NodeStatus[]
}

export function readStatus(signal: AbortSignal): Promise<Status> {
  return call('GET', '/api/admin/status', { signal })
}
