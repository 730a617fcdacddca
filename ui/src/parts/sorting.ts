/** Columns of a table, and rows in the order of one. */

export interface Column<T> {
  label: string
  isNumber?: boolean
  /** The label is read out but not shown. */
  isHidden?: boolean
  /** What the rows are ordered by; without it the column does not sort. */
  sort?: (row: T) => string | number | null
}

const TEXTS = new Intl.Collator('en', { numeric: true })

function compare(left: string | number, right: string | number): number {
  return typeof left === 'number' && typeof right === 'number'
    ? left - right
    : TEXTS.compare(String(left), String(right))
}

/** A sorted copy; rows without a value come last either way. */
export function sortRows<T>(rows: T[], column: Column<T> | undefined, isDescending: boolean): T[] {
  const sort = column?.sort
  if (!sort) return rows
  return rows.toSorted((one, other) => {
    const left = sort(one)
    const right = sort(other)
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return isDescending ? compare(right, left) : compare(left, right)
  })
}
