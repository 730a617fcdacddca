/** The settings of a chart, as stored with a panel. Stored settings are validated member by member. */
import { UNITS, type Unit } from './units'

export const CHART_KINDS = ['line', 'area', 'stacked', 'bar', 'pie', 'single', 'heatmap'] as const
export type ChartKind = (typeof CHART_KINDS)[number]

export const KIND_NAMES: Record<ChartKind, string> = {
  line: 'Line',
  area: 'Area',
  stacked: 'Stacked',
  bar: 'Bar',
  pie: 'Pie',
  single: 'Single value',
  heatmap: 'Heatmap',
}

export const FIGURES = ['last', 'sum', 'mean', 'max', 'min'] as const
export type FigureName = (typeof FIGURES)[number]

export const COLOURS = ['green', 'blue', 'amber', 'red'] as const
export type Colour = (typeof COLOURS)[number]

export interface Threshold {
  value: number
  color: Colour
}

export interface ChartSettings {
  /** Null: derived from the name. */
  unit: Unit | null
  show: FigureName
  /** The lowest first. */
  thresholds: Threshold[]
  /** Names of series on the second axis. */
  right: string[]
}

export const PLAIN_CHART: ChartSettings = { unit: null, show: 'last', thresholds: [], right: [] }

type Members = Record<string, unknown>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function chooseOf<T extends string>(known: readonly T[], value: unknown): T | null {
  return known.find((each) => each === value) ?? null
}

function readThreshold(value: unknown): Threshold[] {
  if (!isMembers(value)) return []
  const [number, color] = [Number(value['value']), chooseOf(COLOURS, value['color'])]
  return Number.isFinite(number) && color ? [{ value: number, color }] : []
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export function readChart(chart: Members): ChartSettings {
  return {
    unit: chooseOf(UNITS, chart['unit']),
    show: chooseOf(FIGURES, chart['show']) ?? PLAIN_CHART.show,
    thresholds: list(chart['thresholds'])
      .flatMap(readThreshold)
      .sort((one, other) => one.value - other.value),
    right: list(chart['right']).filter((name) => typeof name === 'string'),
  }
}

/** The colour of the highest threshold that a value reaches. */
export function findColour(thresholds: Threshold[], value: number | null): Colour | null {
  if (value === null) return null
  return thresholds.findLast((each) => value >= each.value)?.color ?? null
}

export interface Figures {
  last: number | null
  sum: number | null
  mean: number | null
  max: number | null
  min: number | null
}

/** The summary of a series; places without a value are ignored. */
export function summarise(values: (number | null)[]): Figures {
  const known = values.filter((value) => value !== null)
  if (!known.length) return { last: null, sum: null, mean: null, max: null, min: null }
  const sum = known.reduce((total, value) => total + value, 0)
  return {
    last: known.at(-1) ?? null,
    sum,
    mean: sum / known.length,
    max: known.reduce((most, value) => Math.max(most, value)),
    min: known.reduce((least, value) => Math.min(least, value)),
  }
}

/** The relative change from the first half of a series to the second; null if it means nothing. */
export function findTrend(values: (number | null)[]): number | null {
  const middle = Math.floor(values.length / 2)
  if (!middle) return null
  const before = summarise(values.slice(0, middle)).mean
  const after = summarise(values.slice(-middle)).mean
  return before && after !== null ? (after - before) / Math.abs(before) : null
}
