/** The history of time ranges, to go back and forward independently of other changes. */
import type { Range } from '../time/range'

const MAX_RANGES = 50

export class Trail {
  private ranges = $state.raw<Range[]>([])
  private place = $state(-1)

  get isAtStart(): boolean {
    return this.place <= 0
  }

  get isAtEnd(): boolean {
    return this.place >= this.ranges.length - 1
  }

  /** Record a new range after the current one; later ranges are forgotten. */
  visit({ from, to }: Range): void {
    const here = this.ranges[this.place]
    if (here?.from === from && here.to === to) return
    this.ranges = [...this.ranges.slice(0, this.place + 1), { from, to }].slice(-MAX_RANGES)
    this.place = this.ranges.length - 1
  }

  /** Go one step back (-1) or forward (1), and return that range. */
  step(direction: -1 | 1): Range | null {
    const range = this.ranges[this.place + direction]
    if (!range) return null
    this.place += direction
    return range
  }
}
