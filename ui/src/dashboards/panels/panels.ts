/** The kinds of panels, and how their answers are requested. */
import type { Dashboard, DashboardDraft, Panel } from '../../api/dashboards'
import type { Answer } from '../../api/search'
import { CHART_KINDS, chooseOf, isMembers, KIND_NAMES, type ChartKind } from '../../charts/settings'
import { COLUMNS, findBottom } from '../grid/layout'

const OTHER_KINDS = ['table', 'logs', 'patterns', 'text'] as const
export const PANEL_KINDS = [...CHART_KINDS, ...OTHER_KINDS] as const
export type PanelKind = ChartKind | (typeof OTHER_KINDS)[number]

export const PANEL_KIND_NAMES: Record<PanelKind, string> = {
  ...KIND_NAMES,
  table: 'Table',
  logs: 'Log list',
  patterns: 'Patterns',
  text: 'Text',
}

const PATTERN_COLUMNS = ['pattern', 'count']

/** The chosen kind; null: it depends on the answer. */
export const readKind = (chart: Record<string, unknown>) => chooseOf(PANEL_KINDS, chart['kind'])

/** The kind that is shown: the chosen one if it fits the answer. */
export function chooseKind(wanted: PanelKind | null, answer: Answer): PanelKind {
  if (answer.type === 'events') return 'logs'
  if (wanted !== null && wanted !== 'logs' && wanted !== 'text') return wanted
  if (PATTERN_COLUMNS.every((name) => answer.columns.includes(name))) return 'patterns'
  if (answer.columns[0] === '_time') return 'line'
  return answer.rows.length === 1 ? 'single' : 'table'
}

export const isText = (panel: Panel) => readKind(panel.chart) === 'text'

export function readText(chart: Record<string, unknown>): string {
  return typeof chart['text'] === 'string' ? chart['text'] : ''
}

const SIZES: Partial<Record<PanelKind, [w: number, h: number]>> = {
  single: [6, 4],
  text: [24, 3],
  logs: [24, 9],
}

/** A new panel below all others. */
export function placePanel(
  panels: Panel[],
  made: Pick<Panel, 'title' | 'query' | 'chart'> & Partial<Panel>,
): Panel {
  const [w, h] = SIZES[readKind(made.chart) ?? 'line'] ?? [COLUMNS / 2, 8]
  return { env: '', index: '', ...made, x: 0, y: findBottom(panels), w, h }
}

const MEMBERS = [
  ...['name', 'description', 'env', 'index', 'shared', 'variables'],
  ...['marks', 'panels', 'from', 'to', 'refresh_secs'],
] as const

/** A dashboard as a file for others, without members that mean something only to this service. */
export function exportDashboard(dashboard: Dashboard): string {
  const kept = Object.entries(dashboard).filter(([name]) => (MEMBERS as readonly string[]).includes(name))
  return `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`
}

/** The dashboard in such a file; throws an error in plain words if it is not one. The server validates its parts. */
export function readExport(text: string, taken: string[]): Partial<DashboardDraft> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('The file is not JSON.')
  }
  if (!isMembers(value) || typeof value['name'] !== 'string')
    throw new Error('The file is not a dashboard: it has no name.')
  return { ...value, name: findFreeName(value['name'], taken) }
}

export function findFreeName(name: string, taken: string[]): string {
  const names = new Set(taken.map((each) => each.toLowerCase()))
  let free = name
  for (let number = 2; names.has(free.toLowerCase()); number += 1) free = `${name} (${number})`
  return free
}
