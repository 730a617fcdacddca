/** Alerts: queries that the server runs periodically, each with a condition on the result. */
import { call } from './client'
import type { Json } from './json'
import { change, readTagged, type Tagged } from './tagged'

export type Operator = 'above' | 'at_least' | 'below' | 'at_most'

/** From a table, so it may have more digits than a double. */
export type Figure = number | bigint

/** The query, and where it searches. */
export interface Question {
  query: string
  filters: string[]
  env: string
  index: string
}

export interface Condition {
  window_secs: number
  every_secs: number
  /** For a table; empty for the last numeric column. */
  column: string
  operator: Operator
  threshold: number
}

export type Severity = 'info' | 'warning' | 'critical'
export type NoData = 'ok' | 'firing' | 'keep'

export interface AlertDraft extends Question, Condition {
  name: string
  description: string
  enabled: boolean
  severity: Severity
  for_secs: number
  no_data: NoData
  /** Ids of the channels it is sent to. */
  channels: string[]
  labels: Record<string, string>
  /** A time; null if it is not muted. */
  muted_until: string | null
}

export interface AlertState {
  status: 'new' | 'ok' | 'pending' | 'firing' | 'error' | 'off'
  since: string | null
  /** Known to the node that checks the alert, null on others. */
  checked: string | null
  value: Figure | null
  /** The rows of the answer that meet the condition; only some if there are many. */
  groups: { by: Record<string, Json>; value: Figure }[]
  error: string
}

export interface Alert extends AlertDraft {
  id: string
  owner: string
  created: string
  updated: string
  state: AlertState
}

/** A notification that was or will be sent to a channel. */
export interface Sent {
  channel: string
  name: string
  at: string
  status: 'pending' | 'sent' | 'failed' | 'muted'
  state: 'firing' | 'resolved'
  error: string
}

/** A period in which an alert was firing; without an end it still is. */
export interface Episode {
  from: string
  to: string | null
  highest: Figure | null
  sent: Sent[]
}

export interface PreviewRequest extends Question, Condition {
  from: string | null
  to: string | null
}

export interface Step {
  time: string
  value: Figure | null
  is_met: boolean
  error?: string
}

/** What checks would have found in the past. */
export interface Preview {
  step_secs: number
  steps: Step[]
  firings: { from: string; to: string; peak: Figure }[]
  seconds_firing: number
  complete: boolean
  /** The one that was compared. */
  column: string
}

const pathOf = (id: string) => `/api/alerts/${encodeURIComponent(id)}`

export function listAlerts(signal?: AbortSignal): Promise<Tagged<Alert[]>> {
  return readTagged('/api/alerts', signal)
}

export function createAlert(draft: AlertDraft): Promise<Alert> {
  return call('POST', '/api/alerts', { body: draft })
}

export function changeAlert(id: string, changes: Partial<AlertDraft>, tag: string): Promise<Alert> {
  return change('PATCH', pathOf(id), tag, { body: changes })
}

export function deleteAlert(id: string, tag: string): Promise<void> {
  return change('DELETE', pathOf(id), tag)
}

export function readHistory(id: string, signal: AbortSignal): Promise<Episode[]> {
  return call('GET', `${pathOf(id)}/history`, { signal })
}

export function previewAlert(request: PreviewRequest, signal: AbortSignal): Promise<Preview> {
  return call('POST', '/api/alerts/preview', { body: request, signal })
}
