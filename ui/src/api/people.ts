/** The endpoints for accounts and API keys. */
import type { User } from '../shell/session.svelte'
import { call } from './client'
import { change, readTagged, type Tagged } from './tagged'

export type UserDraft = Omit<User, 'id' | 'has_password' | 'saml_identity'> & { saml_identity: string }
export type Scope = 'search' | 'edit' | 'ingest' | 'admin' | 'mcp'

export interface Key {
  id: string
  name: string
  scopes: Scope[]
  envs: string[]
  indexes: string[]
  tools: string[]
}

export type KeyDraft = Omit<Key, 'id'>

function placeOf(collection: string, id: string): string {
  return `/api/${collection}/${encodeURIComponent(id)}`
}

/** The available ways to sign in. */
export interface SignInMethods {
  password: boolean
  saml: boolean
}

export function readMethods(signal: AbortSignal): Promise<SignInMethods> {
  return call('GET', '/api/auth/methods', { signal })
}

export function listUsers(signal?: AbortSignal): Promise<Tagged<User[]>> {
  return readTagged('/api/users', signal)
}

export function createUser(draft: UserDraft & { password?: string }): Promise<User> {
  return call('POST', '/api/users', { body: draft })
}

export function changeUser(
  id: string,
  draft: Partial<UserDraft & { password: string | null }>,
  tag: string,
): Promise<User> {
  return change('PATCH', placeOf('users', id), tag, { body: draft })
}

export function deleteUser(id: string, tag: string): Promise<void> {
  return change('DELETE', placeOf('users', id), tag)
}

export function listKeys(signal?: AbortSignal): Promise<Tagged<Key[]>> {
  return readTagged('/api/keys', signal)
}

/** The key itself is in this answer, and in no other. */
export function createKey(draft: KeyDraft): Promise<Key & { key: string }> {
  return call('POST', '/api/keys', { body: draft })
}

export function changeKey(id: string, draft: Partial<KeyDraft>, tag: string): Promise<Key> {
  return change('PATCH', placeOf('keys', id), tag, { body: draft })
}

export function deleteKey(id: string, tag: string): Promise<void> {
  return change('DELETE', placeOf('keys', id), tag)
}
