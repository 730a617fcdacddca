/** Events as they become searchable: the newest first, up to a limit. */
import { describe } from '../../api/client'
import { parseJson } from '../../api/json'
import type { EventRow } from '../../api/search'
import { follow, type Message } from './tail'

const MAX_ROWS = 2_000
const MAX_WAITING = 10_000
const RATE_MS = 5_000

export type LiveState = 'connecting' | 'open' | 'broken'

export class Live {
  /** Newest first. */
  rows = $state.raw<EventRow[]>([])
  state = $state<LiveState>('connecting')
  /** Why the server ended the connection. */
  failure = $state('')
  /** A warning about events that the server could not send. */
  warning = $state('')
  /** While paused, new events are collected but not shown. */
  isPaused = $state(false)
  waitingCount = $state(0)
  /** The number of events that were dropped to make room for newer ones. */
  droppedCount = $state(0)
  /** Events per second, over the last few seconds. */
  rate = $state(0)
  private waiting: EventRow[] = []
  private arrivals: number[] = []
  private lastId = ''
  /** Events that may be sent again after a reconnect. */
  private repeatable = new Set<string>()
  private controller = new AbortController()
  private frame = 0
  private timer: number

  /** `whenOpened` is called once, when the server starts to send new events. */
  constructor(
    url: string,
    private whenOpened: () => void,
  ) {
    const listener = {
      opened: () => this.begin(),
      received: (message: Message) => this.take(message),
      lost: () => (this.state = 'connecting'),
      refused: (error: unknown) => this.end(error),
    }
    void follow(url, listener, this.controller.signal)
    this.timer = window.setInterval(() => this.measure(), 1000)
  }

  private begin(): void {
    this.state = 'open'
    this.whenOpened()
    this.whenOpened = () => undefined
  }

  private end(error: unknown): void {
    this.state = 'broken'
    this.failure = describe(error)
  }

  /** Many events may arrive between two frames; the page is updated once for all of them. */
  private take({ id, data, isWarning }: Message): void {
    if (isWarning) {
      this.warning = (parseJson(data) as { message: string }).message
      return
    }
    const row = parseJson(data) as EventRow
    if (this.repeatable.has(row._id)) return
    if (id !== this.lastId) this.repeatable.clear()
    this.lastId = id
    this.repeatable.add(row._id)
    this.waiting.push(row)
    // Nothing is rendered while paused or while the page is hidden.
    if (this.waiting.length > MAX_WAITING) this.drop(this.waiting.splice(0, 1))
    this.arrivals.push(performance.now())
    this.frame ||= requestAnimationFrame(() => this.draw())
  }

  private draw(): void {
    this.frame = 0
    if (this.isPaused) {
      this.waitingCount = this.waiting.length
      return
    }
    const rows = [...this.waiting.splice(0).reverse(), ...this.rows]
    this.drop(rows.splice(MAX_ROWS))
    this.rows = rows
    this.waitingCount = 0
  }

  private drop(rows: EventRow[]): void {
    this.droppedCount += rows.length
  }

  private measure(): void {
    const since = performance.now() - RATE_MS
    this.arrivals = this.arrivals.filter((time) => time >= since)
    this.rate = (this.arrivals.length * 1000) / RATE_MS
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
    this.draw()
  }

  close(): void {
    this.controller.abort()
    clearInterval(this.timer)
    cancelAnimationFrame(this.frame)
  }
}
