/** Describes alerts in sentences. */
import type { Alert, AlertState, Condition, NoData, Operator, Sent, Severity, Step } from '../api/alerts'
import type { Json } from '../api/json'
import { writeValue } from '../explore/events/text/values'
import { formatMany } from '../parts/plural'
import { showLine } from '../text/harmless'
import type { Outcome } from './preview/firings'

export const OPERATORS: Record<Operator, string> = {
  above: 'above',
  at_least: 'at least',
  below: 'below',
  at_most: 'at most',
}
export const NUMBER_OF_EVENTS = 'the number of events'

const UNITS: [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })
const SMALL_NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

export function writeNumber(value: number | bigint | null): string {
  if (value === null) return '–'
  return (Math.abs(Number(value)) < 1 ? SMALL_NUMBER : NUMBER).format(value)
}

/** In the largest unit in which it is a whole number: `5 minutes`, `90 seconds`. */
export function nameLength(seconds: number): string {
  const [size, name] = UNITS.find(([each]) => seconds % each === 0) ?? [1, 'second']
  return formatMany(seconds / size, name)
}

/** `25 min`, `1 h 5 min`: its two largest parts. */
export function shortenLength(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor(seconds / 3600) % 24
  const minutes = Math.floor(seconds / 60) % 60
  const parts: [number, string][] = [
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'min'],
    [Math.round(seconds % 60), 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}

/** `every minute`, `every 5 minutes`. */
function nameEvery(seconds: number): string {
  return `every ${nameLength(seconds).replace(/^1 /, '')}`
}

/** What is compared, as far as the alert itself shows. */
export function nameCompared({ column, query }: Pick<Alert, 'column' | 'query'>): string {
  if (column) return showLine(column)
  return query.includes('|') ? 'the value' : NUMBER_OF_EVENTS
}

/** `the number of events is above 5 within the last 5 minutes, checked every minute`. */
export function describeCondition(
  compared: string,
  condition: Pick<Condition, 'operator' | 'window_secs' | 'every_secs'> & { threshold: number | null },
): string {
  const threshold = condition.threshold === null ? '…' : writeNumber(condition.threshold)
  const window = nameLength(condition.window_secs).replace(/^1 /, '')
  return `${compared} is ${OPERATORS[condition.operator]} ${threshold} within the last ${window}, checked ${nameEvery(condition.every_secs)}`
}

/** What the preview found. */
export function describeOutcome(
  { firings, seconds }: Pick<Outcome, 'firings' | 'seconds'>,
  isComplete: boolean,
): string {
  const found = firings.length
    ? `Would have fired ${nameTimes(firings.length)}, ${seconds ? `for ${shortenLength(seconds)} in total` : 'at the very end'}.`
    : 'Would not have fired.'
  return isComplete ? found : `${found} There was no time to ask about all of the range.`
}

function nameTimes(count: number): string {
  return count === 1 ? 'once' : formatMany(count, 'time')
}

export const STATUSES: Record<
  AlertState['status'],
  { label: string; kind: 'good' | 'warn' | 'bad' | 'off'; order: number }
> = {
  firing: { label: 'Firing', kind: 'bad', order: 0 },
  pending: { label: 'Pending', kind: 'warn', order: 1 },
  error: { label: 'Check failed', kind: 'warn', order: 2 },
  ok: { label: 'Quiet', kind: 'good', order: 3 },
  new: { label: 'Not checked yet', kind: 'off', order: 4 },
  off: { label: 'Off', kind: 'off', order: 5 },
}

export const SEVERITIES: Record<
  Severity,
  { label: string; kind: 'good' | 'warn' | 'bad' | 'off'; order: number }
> = {
  critical: { label: 'Critical', kind: 'bad', order: 0 },
  warning: { label: 'Warning', kind: 'warn', order: 1 },
  info: { label: 'Info', kind: 'off', order: 2 },
}

export const NO_DATA: Record<NoData, string> = {
  ok: 'do not fire',
  firing: 'fire',
  keep: 'stay as before',
}

const SENT: Record<Sent['status'], string> = {
  pending: 'waiting',
  sent: 'sent',
  failed: 'failed',
  muted: 'muted',
}

/** `Firing → on call: sent`. */
export function describeSent({ state, status, name, channel }: Sent): string {
  return `${state === 'firing' ? 'Firing' : 'Resolved'} → ${showLine(name || channel)}: ${SENT[status]}`
}

/** `team=shop`, one on each line. */
export function writeLabels(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
}

export function readLabels(text: string): Record<string, string> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(/=(.*)/s)
      return [name.trim(), value.trim()]
    }),
  )
}

/** The query in one line; for an empty one, what that means. */
export function writeQuestion({ query, filters }: Pick<Alert, 'query' | 'filters'>): string {
  return [...filters, query].filter((part) => part.trim()).join(' · ') || 'all events'
}

/** Why checks failed; empty if none did. */
export function describeProblem(steps: Step[]): string {
  const failed = steps.filter(({ error }) => error)
  if (!failed.length) return ''
  return `${failed.length} of ${formatMany(steps.length, 'check')} failed: ${failed[0]?.error}`
}

/** `service=payment, host=a`; empty for a table with a single number. */
export function describeGroup(by: Record<string, Json>): string {
  return Object.entries(by)
    .map(([name, value]) => `${name}=${value === null ? '–' : writeValue(value)}`)
    .join(', ')
}
