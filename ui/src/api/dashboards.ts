/** Dashboards: the user's own and shared ones. */
import { call } from './client'

export interface Variable {
  name: string
  field: string
  /** Empty, or `*`: anything. */
  default: string
}

export interface Panel {
  title: string
  query: string
  /** Stored by the server unchecked: the page checks it when it reads it. */
  chart: Record<string, unknown>
  /** Of 24 columns. */
  x: number
  y: number
  w: number
  h: number
  /** Empty: the same as the dashboard. */
  env: string
  index: string
}

/** What every chart over time marks. */
export interface Marks {
  /** Empty: no events. */
  query: string
  alerts: boolean
}

type Moment = string | number | null

export interface DashboardDraft {
  name: string
  description: string
  env: string
  index: string
  shared: boolean
  variables: Variable[]
  marks: Marks
  panels: Panel[]
  from: Moment
  to: Moment
  /** 0: never. */
  refresh_secs: number
}

export interface Dashboard extends DashboardDraft {
  id: string
  owner: string
  created: string
  updated: string
}

const pathOf = (id: string) => `/api/dashboards/${encodeURIComponent(id)}`

export function listDashboards(signal?: AbortSignal): Promise<Dashboard[]> {
  return call('GET', '/api/dashboards', signal ? { signal } : {})
}

export function readDashboard(id: string, signal?: AbortSignal): Promise<Dashboard> {
  return call('GET', pathOf(id), signal ? { signal } : {})
}

export function createDashboard(draft: Partial<DashboardDraft>): Promise<Dashboard> {
  return call('POST', '/api/dashboards', { body: draft })
}

export function changeDashboard(id: string, change: Partial<DashboardDraft>): Promise<Dashboard> {
  return call('PATCH', pathOf(id), { body: change })
}

export function deleteDashboard(id: string): Promise<void> {
  return call('DELETE', pathOf(id))
}
