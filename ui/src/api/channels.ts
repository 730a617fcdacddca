/** Where alerts are sent to. */
import { call } from './client'
import { change, readTagged, type Tagged } from './tagged'

export type ChannelKind = 'webhook' | 'slack' | 'alertmanager' | 'pagerduty' | 'email'

/** Stands for a secret; if sent back, the stored secret stays. */
export const MASK = '********'

export interface Channel {
  id: string
  name: string
  kind: ChannelKind
  url: string
  headers: Record<string, string>
  to: string[]
  smtp_url: string
  has_secret: boolean
  has_routing_key: boolean
  used_by: number
}

export interface ChannelDraft {
  name: string
  kind: ChannelKind
  url?: string
  secret?: string
  headers?: Record<string, string>
  routing_key?: string
  to?: string[]
  smtp_url?: string
}

export type ChannelName = Pick<Channel, 'id' | 'name' | 'kind'>

/** What the receiver of a test answered; without a status it was not reached. */
export interface TestAnswer {
  ok: boolean
  status: number | null
  answer: string
}

const pathOf = (id: string) => `/api/channels/${encodeURIComponent(id)}`

export function listChannels(signal?: AbortSignal): Promise<Tagged<Channel[]>> {
  return readTagged('/api/channels', signal)
}

/** The channels that an alert can be sent to. */
export function listChannelNames(signal: AbortSignal): Promise<ChannelName[]> {
  return call('GET', '/api/alerts/channels', { signal })
}

export function createChannel(draft: ChannelDraft): Promise<Channel> {
  return call('POST', '/api/channels', { body: draft })
}

export function changeChannel(id: string, changes: Partial<ChannelDraft>, tag: string): Promise<Channel> {
  return change('PATCH', pathOf(id), tag, { body: changes })
}

export function deleteChannel(id: string, tag: string): Promise<void> {
  return change('DELETE', pathOf(id), tag)
}

export function testChannel(id: string): Promise<TestAnswer> {
  return call('POST', `${pathOf(id)}/test`)
}
