/** Every page: its path, its name, and who may see it. Pages are loaded when they are opened. */
import type { Component } from 'svelte'

export type Needs = 'search' | 'edit' | 'admin'

/** The groups of pages in the admin area, in the order of its navigation. */
export const ADMIN_GROUPS = ['Data', 'Access', 'Service'] as const
export type AdminGroup = (typeof ADMIN_GROUPS)[number]

export interface Page {
  path: string
  label: string
  /** Hidden: not in the navigation. */
  group: 'top' | 'admin' | 'hidden'
  /** The group of an admin page. */
  adminGroup?: AdminGroup
  needs: Needs
  load: () => Promise<{ default: Component }>
}

export const FIRST_PAGE = '/explore'
export const ADMIN_AREA = '/admin'

export const PAGES: Page[] = [
  {
    path: FIRST_PAGE,
    label: 'Explore',
    group: 'top',
    needs: 'search',
    load: () => import('../explore/ExplorePage.svelte'),
  },
  {
    path: '/dashboards',
    label: 'Dashboards',
    group: 'top',
    needs: 'search',
    load: () => import('../dashboards/DashboardsPage.svelte'),
  },
  {
    path: '/alerts',
    label: 'Alerts',
    group: 'top',
    needs: 'search',
    load: () => import('../alerts/AlertsPage.svelte'),
  },
  {
    path: '/send',
    label: 'Send data',
    group: 'top',
    needs: 'search',
    load: () => import('../start/SendPage.svelte'),
  },
  {
    path: '/admin/ingestion',
    label: 'Data ingestion',
    group: 'admin',
    adminGroup: 'Data',
    needs: 'edit',
    load: () => import('../admin/ingestion/IngestionPage.svelte'),
  },
  {
    path: '/admin/environments',
    label: 'Environments',
    group: 'admin',
    adminGroup: 'Data',
    needs: 'admin',
    load: () => import('../admin/EnvironmentsPage.svelte'),
  },
  {
    path: '/admin/general',
    label: 'General',
    group: 'admin',
    adminGroup: 'Service',
    needs: 'admin',
    load: () => import('../admin/GeneralPage.svelte'),
  },
  {
    path: '/admin/tunables',
    label: 'Tunables',
    group: 'admin',
    adminGroup: 'Service',
    needs: 'admin',
    load: () => import('../admin/TunablesPage.svelte'),
  },
  {
    path: '/admin/users',
    label: 'Users',
    group: 'admin',
    adminGroup: 'Access',
    needs: 'admin',
    load: () => import('../admin/UsersPage.svelte'),
  },
  {
    path: '/admin/single-sign-on',
    label: 'Single sign-on',
    group: 'admin',
    adminGroup: 'Access',
    needs: 'admin',
    load: () => import('../admin/SingleSignOnPage.svelte'),
  },
  {
    path: '/admin/keys',
    label: 'API keys',
    group: 'admin',
    adminGroup: 'Access',
    needs: 'admin',
    load: () => import('../admin/KeysPage.svelte'),
  },
  {
    path: '/admin/channels',
    label: 'Channels',
    group: 'admin',
    adminGroup: 'Service',
    needs: 'admin',
    load: () => import('../admin/ChannelsPage.svelte'),
  },
  {
    path: '/admin/indexes',
    label: 'Indexes',
    group: 'admin',
    adminGroup: 'Data',
    needs: 'search',
    load: () => import('../admin/IndexesPage.svelte'),
  },
  {
    path: '/admin/lookups',
    label: 'Lookup tables',
    group: 'admin',
    adminGroup: 'Data',
    needs: 'search',
    load: () => import('../admin/LookupsPage.svelte'),
  },
  {
    path: '/admin/status',
    label: 'Status',
    group: 'admin',
    adminGroup: 'Service',
    needs: 'admin',
    load: () => import('../admin/StatusPage.svelte'),
  },
  {
    path: '/admin/audit',
    label: 'Audit',
    group: 'admin',
    adminGroup: 'Service',
    needs: 'admin',
    load: () => import('../admin/AuditPage.svelte'),
  },
  {
    path: '/account',
    label: 'Your account',
    group: 'hidden',
    needs: 'search',
    load: () => import('../start/AccountPage.svelte'),
  },
  {
    path: '/s',
    label: 'Shared link',
    group: 'hidden',
    needs: 'search',
    load: () => import('./SharedLink.svelte'),
  },
]

/** The page of a path, which may continue after the page's own path. */
export function findPage(path: string): Page | undefined {
  return PAGES.find((page) => path === page.path || path.startsWith(`${page.path}/`))
}

/** The page that a user sees first at an address without a page of its own: of all pages, or of the admin area. */
export function findStart(path: string, mayOpen: (page: Page) => boolean): Page | undefined {
  if (path === '/') return findPage(FIRST_PAGE)
  if (path !== ADMIN_AREA) return undefined
  return PAGES.find((page) => page.group === 'admin' && mayOpen(page))
}
