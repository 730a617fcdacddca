/** How the server interprets the query being typed: requested after a pause in typing. */
import { isAborted } from '../../api/client'
import { parseQuery } from '../../api/search'
import { readProblem, type Problem } from './problems'

export interface QueryNotice {
  code: string
  message: string
  /** The query with the other interpretation, if there is one. */
  alternative: string | null
}

const PAUSE_MS = 350
/** An error at the end of a query may just mean that typing has not finished. */
const UNFINISHED_PAUSE_MS = 1200

export class Reading {
  problem = $state.raw<Problem | null>(null)
  notices = $state.raw<QueryNotice[]>([])
  private controller: AbortController | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  /** Request it soon; a pending request is cancelled. */
  check(query: string, env: string): void {
    this.stop()
    if (this.problem && this.problem.query !== query) this.problem = null
    if (query.trim()) this.timer = setTimeout(() => void this.ask(query, env), PAUSE_MS)
    else this.settle(null, [])
  }

  stop(): void {
    clearTimeout(this.timer)
    this.controller?.abort()
  }

  private async ask(query: string, env: string): Promise<void> {
    this.controller = new AbortController()
    try {
      const { notices } = await parseQuery(query, env, this.controller.signal)
      this.settle(null, notices.map(readNotice))
    } catch (error) {
      if (!isAborted(error)) this.complain(readProblem(error, query), query.trimEnd().length)
    }
  }

  private complain(problem: Problem | null, length: number): void {
    if (!problem || problem.end < length) this.settle(problem, [])
    else this.timer = setTimeout(() => this.settle(problem, []), UNFINISHED_PAUSE_MS)
  }

  private settle(problem: Problem | null, notices: QueryNotice[]): void {
    this.problem = problem
    this.notices = notices
  }
}

function readNotice({ code = '', message = '', alt = null }: Record<string, string | null>): QueryNotice {
  return { code: code ?? '', message: message ?? '', alternative: alt }
}
