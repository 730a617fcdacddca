/** Describes in words what accounts and keys may do. */
import type { Scope } from '../api/people'
import type { User } from '../shell/session.svelte'

interface Meaning {
  label: string
  text: string
}

export const ROLES: Record<User['role'], Meaning> = {
  viewer: { label: 'Viewer', text: 'searches and saves queries' },
  editor: { label: 'Editor', text: 'also edits lookup tables and sees pull sources' },
  admin: { label: 'Admin', text: 'full access, including users and settings' },
}

export const SCOPES: Record<Scope, Meaning> = {
  search: { label: 'Search', text: 'Read events, fields, exports and the live tail.' },
  edit: { label: 'Edit', text: 'Change lookup tables, and see the pull sources.' },
  ingest: { label: 'Ingest', text: 'Send events within the limits below.' },
  admin: { label: 'Administer', text: 'All of the above, plus users, keys, tokens and settings.' },
  mcp: { label: 'Agent tools', text: 'Let an agent read logs over MCP with the tools named below.' },
}
