/** What accounts and keys may do, in words. */
import type { Scope } from '../api/people'
import type { User } from '../shell/session.svelte'

interface Meaning {
  label: string
  text: string
}

export const ROLES: Record<User['role'], Meaning> = {
  viewer: { label: 'Viewer', text: 'searches, and saves queries' },
  editor: { label: 'Editor', text: 'also changes lookup tables, and sees the pull sources' },
  admin: { label: 'Admin', text: 'does everything, and decides who else may' },
}

export const SCOPES: Record<Scope, Meaning> = {
  search: { label: 'Search', text: 'Read events, fields, exports and the live tail.' },
  edit: { label: 'Edit', text: 'Change lookup tables, and see the pull sources.' },
  ingest: { label: 'Ingest', text: 'Send events, to every environment and index it is limited to.' },
  admin: { label: 'Administer', text: 'All of the above, and users, keys, tokens, settings.' },
  mcp: { label: 'Agent tools', text: 'Let an agent read logs over MCP with the tools named below.' },
}
