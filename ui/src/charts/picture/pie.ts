/** A table as a pie: the share of each group in the total. */
import type { Row } from '../../api/search'
import { findRoles, nameCategory, readNumber, type Mark, type Shape } from './picture'

export interface Slice {
  label: string
  value: number
  /** Of the total, 0 to 1. */
  share: number
  /** Where it begins on the circle, clockwise from the top, 0 to 1. */
  start: number
  /** Null for a slice that stands for many groups. */
  mark: Mark | null
  /** How many groups it stands for. */
  groups: number
}

export const MAX_SLICES = 12

interface Group {
  label: string
  value: number
  mark: Mark
}

/** The groups with a share, the largest first; null unless the table has one number for each group. */
function findGroups(rows: Row[], shape: Shape): Group[] | null {
  const { time, categories, values } = findRoles(rows, shape)
  const [column = ''] = values
  if (time !== null || categories.length !== 1 || values.length !== 1) return null
  const groups = rows.map((row) => ({
    label: nameCategory(row, categories, shape),
    value: readNumber(row[column]) ?? 0,
    mark: { row, column },
  }))
  if (!groups.every(({ value }) => value >= 0 && Number.isFinite(value))) return null
  return groups.filter(({ value }) => value > 0).sort((one, other) => other.value - one.value)
}

function sum(groups: Group[]): number {
  return groups.reduce((total, { value }) => total + value, 0)
}

/** The slices of a circle, or null if the table cannot be shown as a pie. */
export function cutPie(rows: Row[], shape: Shape): Slice[] | null {
  const groups = findGroups(rows, shape)
  if (!groups?.length) return null
  const isTooMany = groups.length > MAX_SLICES
  const shown = isTooMany ? groups.slice(0, MAX_SLICES - 1) : groups
  const rest = groups.slice(shown.length)
  const parts = [
    ...shown.map((group) => ({ ...group, groups: 1 })),
    ...(isTooMany ? [{ label: 'other', value: sum(rest), mark: null, groups: rest.length }] : []),
  ]
  const total = sum(groups)
  let start = 0
  return parts.map((part) => {
    const share = part.value / total
    const slice = { ...part, share, start }
    start += share
    return slice
  })
}

const FULL = 0.999_999

/** The outline of a slice on a circle around 0,0 of radius 1. */
export function outline({ start, share }: Pick<Slice, 'start' | 'share'>): string {
  // An arc that ends where it starts would be invisible.
  if (share > FULL) return 'M0,-1A1,1,0,1,1,0,1A1,1,0,1,1,0,-1Z'
  const point = (part: number) => {
    const angle = 2 * Math.PI * part
    return `${Math.sin(angle).toFixed(5)},${(-Math.cos(angle)).toFixed(5)}`
  }
  return `M0,0L${point(start)}A1,1,0,${share > 0.5 ? 1 : 0},1,${point(start + share)}Z`
}
