/** Columns of tables, and sorting by them. */

export interface Column<T> {
  label: string
  isNumber?: boolean
  /** Whether the label is only for screen readers. */
  isHidden?: boolean
  /** The value to sort by; without it the column is not sortable. */
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
