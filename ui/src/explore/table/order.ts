/** Rows of a table in the order of a column: numbers, then texts in any case, then no and yes; nothing comes last. */
import type { Json } from '../../api/json'
import type { Row } from '../../api/search'
import { writeValue } from '../events/text/values'

export interface Order {
  column: string
  isDescending: boolean
}

const RANKS: Record<string, number> = { number: 0, bigint: 0, string: 1, object: 1, boolean: 2 }

function compare(one: Json, other: Json): number {
  const rank = (RANKS[typeof one] ?? 0) - (RANKS[typeof other] ?? 0)
  if (rank) return rank
  const isText = RANKS[typeof one] === 1
  const [left, right] = isText
    ? [writeValue(one).toLowerCase(), writeValue(other).toLowerCase()]
    : [one as number, other as number]
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** Rows with equal values stay in the order they had. */
export function orderRows(rows: Row[], { column, isDescending }: Order): Row[] {
  const sign = isDescending ? -1 : 1
  return rows.toSorted((one, other) => {
    const [left, right] = [one[column] ?? null, other[column] ?? null]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * compare(left, right)
  })
}

/** What a click on a column's head asks for next: numbers with the largest first, then the other way, then as it came. */
export function nextOrder(order: Order | null, column: string, isNumber: boolean): Order | null {
  if (order?.column !== column) return { column, isDescending: isNumber }
  return order.isDescending === isNumber ? { column, isDescending: !isNumber } : null
}
