/** The view of the Explore page, and its encoding in the address. */
import { CHART_KINDS, chooseOf, type ChartKind } from '../charts/settings'
import { UNITS, type Unit } from '../charts/units'
import { joinFilters, readPill, writePill, type Filter } from './filters/filters'

export type Tab = 'events' | 'patterns' | 'table' | 'chart'

export interface View {
  query: string
  env: string
  index: string
  from: string
  to: string
  filters: Filter[]
  columns: string[]
  /** The field by which events are sorted, with a minus for the largest first; empty for the newest first. */
  sort: string
  tab: Tab
  chart: ChartKind
  /** The unit of numbers in the chart; null: derived from their names. */
  unit: Unit | null
  /** `_id` of the event whose detail is open. */
  event: string | null
  isLive: boolean
  /** Whether the histogram also shows the previous period. */
  isCompared: boolean
  /** The filter of the events that are compared with the rest; null for none. */
  selection: string | null
  /** The field that the histogram is split by; empty for none. */
  by: string
  /** What a chart over time marks: a query for events, or alerts; empty for nothing. */
  marks: string
}

export const EXPLORE = '/explore'
export const DEFAULT_VIEW: View = {
  query: '',
  env: 'default',
  index: '*',
  from: '-1h',
  to: 'now',
  filters: [],
  columns: [],
  sort: '',
  tab: 'events',
  chart: 'line',
  unit: null,
  event: null,
  isLive: false,
  isCompared: false,
  selection: null,
  by: 'level',
  marks: '',
}

const TABS: readonly string[] = ['events', 'patterns', 'table', 'chart']

function choose<T extends string>(text: string | null, known: readonly string[], fallback: T): T {
  return text !== null && known.includes(text) ? (text as T) : fallback
}

export function readView(parameters: URLSearchParams): View {
  return {
    query: parameters.get('q') ?? DEFAULT_VIEW.query,
    env: parameters.get('env') ?? DEFAULT_VIEW.env,
    index: parameters.get('index') ?? DEFAULT_VIEW.index,
    from: parameters.get('from') ?? DEFAULT_VIEW.from,
    to: parameters.get('to') ?? DEFAULT_VIEW.to,
    filters: parameters.getAll('f').map(readPill),
    columns: parameters.getAll('col'),
    sort: parameters.get('sort') ?? DEFAULT_VIEW.sort,
    tab: choose(parameters.get('tab'), TABS, DEFAULT_VIEW.tab),
    chart: chooseOf(CHART_KINDS, parameters.get('chart')) ?? DEFAULT_VIEW.chart,
    unit: chooseOf(UNITS, parameters.get('unit')),
    event: parameters.get('event'),
    isLive: parameters.get('live') === '1',
    isCompared: parameters.get('before') === '1',
    selection: parameters.get('sel'),
    by: parameters.get('by') ?? DEFAULT_VIEW.by,
    marks: parameters.get('marks') ?? DEFAULT_VIEW.marks,
  }
}

/** Only what differs from the defaults, so that addresses stay short. */
export function writeView(view: View): URLSearchParams {
  const parameters = new URLSearchParams()
  const set = (name: string, value: string, fallback: string) => {
    if (value !== fallback) parameters.set(name, value)
  }
  set('q', view.query, DEFAULT_VIEW.query)
  set('env', view.env, DEFAULT_VIEW.env)
  set('index', view.index, DEFAULT_VIEW.index)
  set('from', view.from, DEFAULT_VIEW.from)
  set('to', view.to, DEFAULT_VIEW.to)
  for (const filter of view.filters) parameters.append('f', writePill(filter))
  for (const column of view.columns) parameters.append('col', column)
  set('sort', view.sort, DEFAULT_VIEW.sort)
  set('tab', view.tab, DEFAULT_VIEW.tab)
  set('chart', view.chart, DEFAULT_VIEW.chart)
  if (view.unit !== null) parameters.set('unit', view.unit)
  if (view.event !== null) parameters.set('event', view.event)
  if (view.isLive) parameters.set('live', '1')
  if (view.isCompared) parameters.set('before', '1')
  if (view.selection !== null) parameters.set('sel', view.selection)
  set('by', view.by, DEFAULT_VIEW.by)
  set('marks', view.marks, DEFAULT_VIEW.marks)
  return parameters
}

/** Whether two views send the same requests. */
export function asksTheSame(one: View, other: View): boolean {
  const ask = ({ query, env, index, from, to, sort, isLive, filters }: View) =>
    JSON.stringify([query, env, index, from, to, sort, isLive, joinFilters(filters)])
  return ask(one) === ask(other)
}
