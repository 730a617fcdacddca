/** The queries of panels: equal ones run once, only a few at a time, and recent answers are reused. */
import * as api from '../../api/search'
import { Queue } from './queue'

const AT_ONCE = 4
const KEPT_MS = 60_000
const MOST_KEPT = 100

export interface Asked extends api.Scope {
  limit: number
  variables: Record<string, string>
}

interface Kept {
  answer: Promise<api.Answer>
  until: number
}

type Ask = (asked: Asked, signal: AbortSignal) => Promise<api.Answer>

const askServer: Ask = ({ limit, variables, ...scope }, signal) =>
  api.search(scope, { limit, variables }, signal)

/** Answers by request. The panels of a dashboard share them, and they are reused when it is opened again. */
export class Answers {
  private readonly kept = new Map<string, Kept>()
  private readonly queue = new Queue(AT_ONCE)

  constructor(
    private readonly ask: Ask = askServer,
    private readonly now: () => number = Date.now,
  ) {}

  /** A pending or recent answer, else a new one. Failures are not kept. */
  find(asked: Asked, signal: AbortSignal): Promise<api.Answer> {
    const key = JSON.stringify(asked)
    const known = this.kept.get(key)
    if (known && known.until > this.now()) return known.answer
    const answer = this.queue.run(() => this.ask(asked, signal), signal)
    this.kept.set(key, { answer, until: this.now() + KEPT_MS })
    answer.catch(() => this.kept.delete(key))
    this.forgetOldest()
    return answer
  }

  /** Forget all answers. */
  clear(): void {
    this.kept.clear()
  }

  private forgetOldest(): void {
    for (const key of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT) return
      this.kept.delete(key)
    }
  }
}

const [LEAST_STEP_MS, MOST_STEP_MS] = [5000, 60_000]

/** The time used as now for a range of some length: it moves in steps, so that recent answers can be reused. */
export function snapNow(now: number, lengthMs: number): number {
  const step = Math.min(MOST_STEP_MS, Math.max(LEAST_STEP_MS, lengthMs / 100))
  return Math.floor(now / step) * step
}
