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

  /** Another range is shown: it follows on the one before, and what came after that is forgotten. */
  visit({ from, to }: Range): void {
    const here = this.ranges[this.place]
    if (here?.from === from && here.to === to) return
    this.ranges = [...this.ranges.slice(0, this.place + 1), { from, to }].slice(-MAX_RANGES)
    this.place = this.ranges.length - 1
  }

  /** The range one step back (-1) or on (1), which is the current one from now on. */
  step(direction: -1 | 1): Range | null {
    const range = this.ranges[this.place + direction]
    if (!range) return null
    this.place += direction
    return range
  }
}
