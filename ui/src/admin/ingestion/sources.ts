/** The values of a source's form; optional parts are always present, each with a switch. */
import type { Source, SourceStatus, SourceDraft } from '../../api/control'

export interface SourceValues extends Omit<SourceDraft, 'multiline' | 'poll_interval_secs'> {
  isFolded: boolean
  multiline: { pattern: string; max_lines: number | null }
  poll_interval_secs: number | null
}

export const LEAST_POLL_SECS = 5
export const MOST_POLL_SECS = 86_400
const FOLD = { pattern: '', max_lines: 500 }

const BLANK: SourceDraft = {
  name: '',
  environment: 'default',
  index: 'default',
  path: '',
  exclude: [],
  format: 'auto',
  compression: 'auto',
  multiline: null,
  grok: '',
  poll_interval_secs: 10,
  source: '',
  enabled: true,
}

export function valuesOf(source: Source | null): SourceValues {
  const draft = source ?? BLANK
  const names = Object.keys(BLANK) as (keyof SourceDraft)[]
  const members = Object.fromEntries(names.map((name) => [name, draft[name]])) as unknown as SourceDraft
  return {
    ...structuredClone(members),
    isFolded: draft.multiline !== null,
    multiline: { ...(draft.multiline ?? FOLD) },
  }
}

/** Whether a format takes a pattern; `auto` does if the source already has one. */
export function takesGrok(format: string, before: string): boolean {
  return format === 'grok' || (format === 'auto' && before !== '')
}

/** The request to the API; `before` is the previous pattern of the source. */
export function draftOf(values: SourceValues, before: string): SourceDraft {
  const { isFolded, multiline, grok, poll_interval_secs, ...rest } = values
  return {
    ...rest,
    exclude: [...rest.exclude],
    grok: takesGrok(values.format, before) ? grok : '',
    multiline: isFolded
      ? { pattern: multiline.pattern, max_lines: multiline.max_lines ?? FOLD.max_lines }
      : null,
    poll_interval_secs: poll_interval_secs ?? BLANK.poll_interval_secs,
  }
}

export interface Condition {
  kind: 'good' | 'warn' | 'bad' | 'off'
  label: string
}

/** The state of a source in a word. */
export function describeCondition(source: { enabled: boolean; status: SourceStatus }): Condition {
  const { status, enabled } = source
  if (status.current_file !== null) return { kind: 'good', label: 'Reading' }
  if (status.last_status === 'error') return { kind: 'bad', label: 'Error' }
  if (!enabled) return { kind: 'off', label: 'Disabled' }
  if (status.last_status === 'ok') return { kind: 'good', label: 'OK' }
  return { kind: 'warn', label: 'Waiting' }
}
