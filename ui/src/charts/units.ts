/** The units of numbers in charts: derived from names, or chosen; and how they are formatted. */
import { formatBytes, formatShort } from '../parts/numbers'

export const UNITS = ['none', 'short', 'ms', 'seconds', 'bytes', 'percent'] as const
export type Unit = (typeof UNITS)[number]

export const UNIT_NAMES: Record<Unit, string> = {
  none: 'Number',
  short: 'Short number',
  ms: 'Milliseconds',
  seconds: 'Seconds',
  bytes: 'Bytes',
  percent: 'Percent',
}

const TELLING: [RegExp, Unit][] = [
  [/^(count|dc|distinct|values?|rate|number)\b/, 'none'],
  [/(^|[^a-z])(ms|millis|milliseconds)([^a-z]|$)/, 'ms'],
  [/(^|[^a-z])(s|sec|secs|seconds)([^a-z]|$)/, 'seconds'],
  [/(^|[^a-z])bytes([^a-z]|$)/, 'bytes'],
  [/(^|[^a-z])(percent|pct)([^a-z]|$)|%/, 'percent'],
]

/** The unit that a name implies, such as that of `p95(duration_ms)`. */
export function findUnit(name: string): Unit {
  const folded = name.toLowerCase()
  return TELLING.find(([pattern]) => pattern.test(folded))?.[1] ?? 'none'
}

/** The unit that all names imply; none if they differ. */
export function findCommonUnit(names: string[]): Unit {
  const units = new Set(names.map(findUnit))
  return units.size === 1 ? ([...units][0] ?? 'none') : 'none'
}

const makeFormat = (digits: number) => new Intl.NumberFormat('en', { maximumFractionDigits: digits })
/** How many decimal places are useful from which size on. */
const PLAIN: [number, Intl.NumberFormat][] = [
  [1000, makeFormat(0)],
  [10, makeFormat(1)],
  [1, makeFormat(3)],
]
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const LENGTHS: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
  [1, 'ms'],
]

function writePlain(value: number): string {
  const [, format] = PLAIN.find(([size]) => Math.abs(value) >= size) ?? [0, SMALL]
  return format.format(value)
}

function writeMilliseconds(value: number): string {
  const [size, name] = LENGTHS.find(([size]) => Math.abs(value) >= size) ?? [1, 'ms']
  return `${SMALL.format(value / size)} ${name}`
}

const WRITERS: Record<Unit, (value: number) => string> = {
  none: writePlain,
  short: formatShort,
  ms: writeMilliseconds,
  seconds: (value) => writeMilliseconds(value * 1000),
  bytes: (value) => (value < 0 ? `-${formatBytes(-value)}` : formatBytes(value)),
  percent: (value) => `${SMALL.format(value)} %`,
}

export function writeIn(unit: Unit, value: number | null): string {
  return value === null || !Number.isFinite(value) ? '–' : WRITERS[unit](value)
}

/** As short as an axis needs it. */
export function writeOnAxis(unit: Unit, value: number): string {
  return unit === 'none' ? formatShort(value) : writeIn(unit, value)
}
