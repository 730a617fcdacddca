/** The values of a pattern's variables, from one request about the newest messages. */
import * as api from '../../api/search'
import { quote, writeName } from '../filters/filters'
import { makePatternFilter, MESSAGE, splitPattern, writeExpression } from './filter'

export const MAX_MESSAGES = 200
export const MAX_VALUES = 8

export interface Variable {
  /** The most frequent values. */
  values: { text: string; count: number }[]
  distinct: number
}

export interface Variables {
  /** In the order of the pattern. */
  found: Variable[]
  messages: number
}

const name = (number: number) => `variable_${number}`
const countVariables = (pattern: string) =>
  splitPattern(pattern).filter(({ isVariable }) => isVariable).length

/** Null if there is no variable, or no expression for the pattern. */
export function writeVariables(query: string, pattern: string, field = MESSAGE): string | null {
  const expression = writeExpression(pattern, field, name)
  const count = countVariables(pattern)
  if (expression === null || !count) return null
  const names = Array.from({ length: count }, (_, number) => name(number))
  const pipes = [
    `where ${makePatternFilter(pattern, field)}`,
    `rex field=${writeName(field)} ${quote(expression)}`,
    `fields ${names.join(', ')}`,
  ]
  // On new lines, because the query may end with a comment.
  return [query, ...pipes].join('\n| ')
}

export function countValues(rows: api.Row[], count: number): Variable[] {
  return Array.from({ length: count }, (_, number) => {
    const counts = new Map<string, number>()
    for (const row of rows) {
      const value = row[name(number)]
      if (value !== undefined && value !== null)
        counts.set(String(value), (counts.get(String(value)) ?? 0) + 1)
    }
    const values = [...counts].map(([text, times]) => ({ text, count: times }))
    values.sort((one, other) => other.count - one.count)
    return { values: values.slice(0, MAX_VALUES), distinct: values.length }
  })
}

export async function findVariables(
  scope: api.Scope,
  pattern: string,
  field: string,
  signal: AbortSignal,
): Promise<Variables> {
  const query = writeVariables(scope.query, pattern, field)
  if (query === null) return { found: [], messages: 0 }
  const { rows } = await api.search({ ...scope, query }, { limit: MAX_MESSAGES }, signal)
  return { found: countValues(rows, countVariables(pattern)), messages: rows.length }
}
