/** Retries failed requests automatically, with increasing delays, or when the server says so. */
import { ApiError, mayPass } from '../api/client'

const WAITS_S = [5, 10, 20, 30, 60]
const MAX_WAIT_S = 600

/** How long to wait after a number of failures; null if a retry cannot help. */
export function chooseWait(error: unknown, failures: number): number | null {
  if (!mayPass(error)) return null
  const told = error instanceof ApiError ? error.retryAfterS : null
  const usual = WAITS_S[Math.min(failures, WAITS_S.length - 1)] ?? MAX_WAIT_S
  return Math.min(MAX_WAIT_S, Math.max(1, Math.ceil(told ?? usual)))
}

export class Retry {
  /** Seconds until the next retry; null if there is none. */
  secondsLeft = $state<number | null>(null)
  private failures = 0
  private timer: ReturnType<typeof setInterval> | undefined

  constructor(private again: () => void) {}

  /** Record a failure, or null after a success. */
  note(error: unknown): void {
    this.stop()
    if (!error) {
      this.failures = 0
      return
    }
    this.secondsLeft = chooseWait(error, this.failures)
    this.failures += 1
    if (this.secondsLeft !== null) this.timer = setInterval(() => this.count(), 1000)
  }

  private count(): void {
    if (this.secondsLeft === null) return
    this.secondsLeft -= 1
    if (this.secondsLeft <= 0) this.now()
  }

  now(): void {
    this.stop()
    this.again()
  }

  stop(): void {
    clearInterval(this.timer)
    this.secondsLeft = null
  }
}
