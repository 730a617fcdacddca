/** The endpoints that configure the service: environments, ingest tokens, settings, pull sources. */
import { call } from './client'
import { change, readTagged, type Tagged } from './tagged'

export interface Environment {
  id: string
  name: string
  retention_days: number | null
  retention_bytes: number | null
}

export interface IngestToken {
  id: string
  name: string
  env: string
  indexes: string[]
  enabled: boolean
  last_used: string | null
}

export type TokenDraft = Pick<IngestToken, 'name' | 'env' | 'indexes' | 'enabled'>

export interface Settings {
  general: { retention_days: number | null; retention_bytes: number | null }
  ingest: {
    require_auth: boolean
    native_enabled: boolean
    compat_enabled: boolean
    push_protobuf: boolean
  }
  storage: { block_flush_secs: number; block_flush_rows: number }
  syslog: {
    enabled: boolean
    host: string
    udp_port: number
    tcp_port: number
    env: string
    index: string
    source: string
    tls_cert: string
    tls_key: string
    max_message_bytes: number
    max_connections: number
  }
  saml: {
    enabled: boolean
    base_url: string
    sp_entity_id: string
    idp_entity_id: string
    idp_sso_url: string
    idp_certificates: string[]
    match: string
    password_login: boolean
    /** Only in requests: fills the members of the identity provider. */
    idp_metadata?: string
  }
  saml_status: {
    installed: boolean
    install: string
    sp_entity_id: string
    acs_url: string
    metadata_url: string
    certificates: { subject: string; expires: string; fingerprint: string }[]
  }
  syslog_status: { state: 'off' | 'listening' | 'failed'; error: string }
  overrides: { setting: string; variable: string }[]
  needs_restart: string[]
  admin_reset: boolean
}

export type SectionName = 'general' | 'ingest' | 'storage' | 'syslog' | 'saml'

export interface SourceDraft {
  name: string
  environment: string
  index: string
  path: string
  exclude: string[]
  format: string
  compression: string
  multiline: { pattern: string; max_lines: number } | null
  grok: string
  poll_interval_secs: number
  source: string
  enabled: boolean
}

export interface SourceStatus {
  last_run: string | null
  last_status: 'ok' | 'error' | null
  last_error: string | null
  total_ingested: number
  current_file: string | null
  files: { path: string; bytes: number; mtime: string; error?: string }[]
  files_total: number
}

export interface Source extends SourceDraft {
  id: string
  status: SourceStatus
}

export interface Entry {
  name: string
  type: 'dir' | 'file'
  size: number | null
  mtime: string
}

export interface Directory {
  path: string
  entries: Entry[]
  complete: boolean
}

export interface Sweep {
  removed_blocks: number
  removed_events: number
  freed_bytes: number
  dry_run: boolean
}

function placeOf(collection: string, id: string): string {
  return `/api/${collection}/${encodeURIComponent(id)}`
}

export function listEnvironments(signal?: AbortSignal): Promise<Tagged<Environment[]>> {
  return readTagged('/api/envs', signal)
}

export function createEnvironment(draft: Omit<Environment, 'id'>): Promise<Environment> {
  return call('POST', '/api/envs', { body: draft })
}

export function changeEnvironment(
  id: string,
  draft: Pick<Environment, 'retention_days' | 'retention_bytes'>,
  tag: string,
): Promise<Environment> {
  return change('PATCH', placeOf('envs', id), tag, { body: draft })
}

export function deleteEnvironment(id: string, tag: string): Promise<void> {
  return change('DELETE', placeOf('envs', id), tag, { query: { name: id } })
}

export function listTokens(signal?: AbortSignal): Promise<Tagged<IngestToken[]>> {
  return readTagged('/api/tokens', signal)
}

export function createToken(draft: TokenDraft): Promise<IngestToken & { token: string }> {
  return call('POST', '/api/tokens', { body: draft })
}

export function changeToken(id: string, draft: Partial<TokenDraft>, tag: string): Promise<IngestToken> {
  return change('PATCH', placeOf('tokens', id), tag, { body: draft })
}

export function deleteToken(id: string, tag: string): Promise<void> {
  return change('DELETE', placeOf('tokens', id), tag)
}

export function readSettings(signal?: AbortSignal): Promise<Tagged<Settings>> {
  return readTagged('/api/settings', signal)
}

export function changeSettings(
  changes: Partial<Record<SectionName, Record<string, unknown>>>,
  tag: string,
): Promise<Settings> {
  return change('PATCH', '/api/settings', tag, { body: changes })
}

export function listSources(signal?: AbortSignal): Promise<Tagged<Source[]>> {
  return readTagged('/api/sources', signal)
}

/** The formats that sources may have. */
export interface Formats {
  formats: string[]
  grok_presets: string[]
}

export function listFormats(signal: AbortSignal): Promise<Formats> {
  return call('GET', '/api/sources/formats', { signal })
}

export function createSource(draft: SourceDraft): Promise<Source> {
  return call('POST', '/api/sources', { body: draft })
}

export function changeSource(id: string, draft: Partial<SourceDraft>, tag: string): Promise<Source> {
  return change('PATCH', placeOf('sources', id), tag, { body: draft })
}

export function deleteSource(id: string, tag: string): Promise<void> {
  return change('DELETE', placeOf('sources', id), tag)
}

export function runSource(id: string): Promise<Source> {
  return call('POST', `${placeOf('sources', id)}/run`)
}

export function resetSource(id: string, tag: string): Promise<Source> {
  return change('POST', `${placeOf('sources', id)}/reset`, tag)
}

/** The entries of a directory of the server; without a path, of the directories that sources may read. */
export function browse(path: string, signal: AbortSignal): Promise<Directory> {
  return call('GET', '/api/sources/browse', { query: { path: path || undefined }, signal })
}

export function sweep(isDryRun: boolean): Promise<Sweep> {
  return call('POST', '/api/admin/gc', { query: { dry_run: isDryRun } })
}

export function flush(): Promise<{ blocks: number; events: number }> {
  return call('POST', '/api/admin/flush')
}

export function readVersion(signal: AbortSignal): Promise<{ name: string; version: string }> {
  return call('GET', '/api/version', { signal })
}
