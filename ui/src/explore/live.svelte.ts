/** Events as they become searchable: the newest on top, a bounded number of them. */
import { parseJson } from '../api/json'
import { tailUrl, type EventRow, type Scope } from '../api/search'

const MAX_ROWS = 2_000
const MAX_WAITING = 10_000
const RATE_MS = 5_000

export type LiveState = 'connecting' | 'open' | 'broken'

export class Live {
  /** Newest first. */
  rows = $state.raw<EventRow[]>([])
  state = $state<LiveState>('connecting')
  /** While paused, events gather out of sight. */
  isPaused = $state(false)
  waitingCount = $state(0)
  droppedCount = $state(0)
  /** Events a second, over the last few. */
  rate = $state(0)
  private waiting: EventRow[] = []
  private arrivals: { time: number; count: number }[] = []
  private source: EventSource
  private frame = 0
  private timer: number

  constructor(scope: Scope) {
    this.source = new EventSource(tailUrl(scope))
    this.source.onopen = () => (this.state = 'open')
    // The browser tries again by itself and goes on after the last event; only an end by the server's word is one.
    this.source.onerror = () =>
      (this.state = this.source.readyState === EventSource.CLOSED ? 'broken' : 'connecting')
    this.source.onmessage = (message: MessageEvent<string>) => this.take(message.data)
    this.timer = window.setInterval(() => this.measure(), 1000)
  }

  /** Many events may come between two frames; the page is drawn once for all of them. */
  private take(data: string): void {
    this.waiting.push(parseJson(data) as EventRow)
    if (this.waiting.length > MAX_WAITING) {
      const excess = this.waiting.length - MAX_WAITING
      this.waiting.splice(0, excess)
      this.droppedCount += excess
    }
    this.arrivals.push({ time: performance.now(), count: 1 })
    this.frame ||= requestAnimationFrame(() => this.draw())
  }

  private draw(): void {
    this.frame = 0
    if (this.isPaused) {
      this.waitingCount = this.waiting.length
      return
    }
    const fresh = this.waiting.splice(0).reverse()
    this.rows = [...fresh, ...this.rows].slice(0, MAX_ROWS)
    this.waitingCount = 0
  }

  private measure(): void {
    const since = performance.now() - RATE_MS
    this.arrivals = this.arrivals.filter((each) => each.time >= since)
    this.rate = (this.arrivals.length * 1000) / RATE_MS
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.draw()
  }

  clear(): void {
    this.rows = []
    this.waiting = []
    this.waitingCount = 0
    this.droppedCount = 0
  }

  close(): void {
    this.source.close()
    clearInterval(this.timer)
    cancelAnimationFrame(this.frame)
  }
}
