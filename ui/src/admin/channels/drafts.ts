/** The values of a channel's form, and the request made from them. */
import { MASK, type Channel, type ChannelDraft, type ChannelKind } from '../../api/channels'

/** Headers are lines: `Name: value`. */
export interface ChannelValues {
  name: string
  kind: ChannelKind
  url: string
  secret: string
  headers: string[]
  routing_key: string
  to: string[]
  smtp_url: string
}

type Member = Exclude<keyof ChannelValues, 'name' | 'kind'>

const OVER_HTTP: Member[] = ['url', 'secret', 'headers']

export const KINDS: Record<ChannelKind, { label: string; takes: Member[]; url: string }> = {
  webhook: { label: 'Webhook', takes: OVER_HTTP, url: 'Where the request is sent.' },
  slack: { label: 'Slack', takes: OVER_HTTP, url: 'The address of an incoming webhook; it is a secret.' },
  alertmanager: {
    label: 'Alertmanager',
    takes: OVER_HTTP,
    url: 'Base URL, such as http://alertmanager:9093.',
  },
  pagerduty: {
    label: 'PagerDuty',
    takes: ['routing_key', ...OVER_HTTP],
    url: 'Events endpoint. Leave empty for the default.',
  },
  email: { label: 'E-mail', takes: ['to', 'smtp_url'], url: '' },
}

const NEW: ChannelValues = {
  name: '',
  kind: 'webhook',
  url: '',
  secret: '',
  headers: [],
  routing_key: '',
  to: [],
  smtp_url: '',
}

export function valuesOf(channel: Channel | null): ChannelValues {
  if (!channel) return structuredClone(NEW)
  const { name, kind, url, headers, to, smtp_url } = channel
  return {
    name,
    kind,
    url,
    secret: channel.has_secret ? MASK : '',
    headers: Object.entries(headers).map(([each, value]) => `${each}: ${value}`),
    routing_key: channel.has_routing_key ? MASK : '',
    to: [...to],
    smtp_url,
  }
}

export function readHeaders(lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/s)
      return [name.trim(), value.trim()]
    }),
  )
}

/** The members that a channel of this kind has. */
export function draftOf(values: ChannelValues): ChannelDraft {
  const { takes } = KINDS[values.kind]
  const sent: Record<Member, unknown> = { ...values, headers: readHeaders(values.headers) }
  const members = takes.filter((name) => !(name === 'url' && values.kind === 'pagerduty' && !values.url))
  return {
    name: values.name,
    kind: values.kind,
    ...Object.fromEntries(members.map((name) => [name, sent[name]])),
  }
}
