/** Errors in a query and their positions, as marked in the editor. */
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

/** The message without the position, which is marked in the text. */
export function describeProblem(error: unknown): string {
  return error instanceof Error ? error.message.replace(COLUMN, '') : String(error)
}

/** The problem in an error answer; null for errors without a position in the query. */
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
  // Something missing at the end has no width, so the last character is marked.
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
