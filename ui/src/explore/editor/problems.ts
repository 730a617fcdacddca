/** What is wrong with a query, and where, as the editor marks it. */
import type { Diagnostic } from '@codemirror/lint'
import type { EditorView } from '@codemirror/view'
import { ApiError } from '../../api/client'
import { showLine } from '../../text/harmless'
import { toUnits } from './positions'

/** `start` and `end` are UTF-16 units of the query that was read. */
export interface Problem {
  query: string
  message: string
  start: number
  end: number
  expected: string[]
  suggestion: string | null
}

const COLUMN = /^col \d+: /

/** What is wrong, without the place: that is seen. */
export function describeProblem(error: unknown): string {
  return error instanceof Error ? error.message.replace(COLUMN, '') : String(error)
}

/** The problem that an answer tells of; null for errors that have no place in the query. */
export function readProblem(error: unknown, query: string): Problem | null {
  if (!(error instanceof ApiError) || error.data.field === 'filter') return null
  const { start, end, expected = [], suggestion = null } = error.data
  if (start === undefined) return null
  return {
    query,
    message: describeProblem(error),
    start: toUnits(query, start),
    end: toUnits(query, end ?? start),
    expected,
    suggestion,
  }
}

export function makeDiagnostic(
  problem: Problem,
  length: number,
  fix: (view: EditorView) => void,
): Diagnostic {
  // What is missing at the end has no width: the last character is marked.
  const to = Math.min(Math.max(problem.end, problem.start + 1), length)
  const from = Math.max(0, Math.min(problem.start, to - 1))
  const message = showLine(problem.message)
  return {
    from,
    to,
    severity: 'error',
    message,
    ...(problem.suggestion === null ? {} : { actions: [{ name: 'Fix', apply: fix }] }),
  }
}
