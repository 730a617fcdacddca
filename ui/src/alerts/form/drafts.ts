/** The initial values of an alert's form. */
import type { Alert, AlertDraft, PreviewRequest } from '../../api/alerts'
import type { View } from '../../explore/view'
import type { Range } from '../../time/range'

export const LAST_DAY: Range = { from: '-24h', to: 'now' }

/** Values of the form: a threshold that is being typed may be missing. */
export type AlertValues = Omit<AlertDraft, 'threshold'> & { threshold: number | null }

const NEW_CONDITION = {
  window_secs: 300,
  every_secs: 60,
  column: '',
  operator: 'above' as const,
  threshold: 0,
}

/** From the view of the Explore page. */
export function draftOf(view: Pick<View, 'query' | 'filters' | 'env' | 'index'>): AlertDraft {
  return {
    name: '',
    description: '',
    query: view.query,
    filters: view.filters.filter(({ isEnabled }) => isEnabled).map(({ text }) => text),
    env: view.env,
    index: view.index,
    ...NEW_CONDITION,
    enabled: true,
    severity: 'warning',
    for_secs: 0,
    no_data: 'ok',
    channels: [],
    labels: {},
    muted_until: null,
  }
}

/** A preview needs a start: if Explore has none, it shows the last day. */
export function findPreviewRange({ from, to }: Range): Range {
  return from ? { from, to: to || 'now' } : LAST_DAY
}

type Asked = Omit<PreviewRequest, 'threshold' | 'from' | 'to'>

/** What a check runs, without the condition. */
export function pickAsked(values: Asked): Asked {
  const { query, filters, env, index, window_secs, every_secs, column, operator } = values
  return { query, filters: [...filters], env, index, window_secs, every_secs, column, operator }
}

/** From an existing alert, without the members that only the server sets. */
export function copyOf(alert: Alert): AlertDraft {
  const { name, description, threshold, enabled, severity, for_secs, no_data, muted_until } = alert
  return {
    name,
    description,
    ...pickAsked(alert),
    threshold,
    enabled,
    severity,
    for_secs,
    no_data,
    channels: [...alert.channels],
    labels: { ...alert.labels },
    muted_until,
  }
}
