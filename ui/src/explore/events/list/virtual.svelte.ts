/** Which of many rows are in view, so that only these are rendered. */
import { Heights } from './heights'

/** The number of rows rendered above and below the view, so that they are present when scrolling. */
const OVERSCAN = 8

export class Virtual {
  scrollTop = $state(0)
  viewHeight = $state(0)
  private heights: Heights
  private count = 0
  /** Heights are not reactive; this changes whenever they do. */
  private version = $state(0)

  constructor(private estimate: number) {
    this.heights = new Heights(estimate)
  }

  get total(): number {
    return this.version >= 0 ? this.heights.total : 0
  }

  /** The rows to show: from `first`, up to `end`, beginning at `offset`. */
  get window(): { first: number; end: number; offset: number } {
    if (this.version < 0 || !this.count) return { first: 0, end: 0, offset: 0 }
    const first = Math.max(0, this.heights.rowAt(this.scrollTop) - OVERSCAN)
    const last = this.heights.rowAt(this.scrollTop + this.viewHeight) + OVERSCAN
    return { first, end: Math.min(this.count, last + 1), offset: this.heights.offsetOf(first) }
  }

  /** The number of elements that the rows in view share: constant, unless rows are lower than estimated. */
  countSlots({ first, end }: { first: number; end: number }): number {
    return Math.max(Math.ceil(this.viewHeight / this.estimate) + 1 + 2 * OVERSCAN, end - first)
  }

  resize(count: number): void {
    this.count = count
    this.heights.resize(count)
    this.version += 1
  }

  reset(estimate: number): void {
    this.estimate = estimate
    this.heights.reset(estimate)
    this.version += 1
  }

  /** Record the heights of rows from `first` on; returns by how much those above the view have grown. */
  measure(first: number, sizes: number[]): number {
    const top = this.heights.rowAt(this.scrollTop)
    let above = 0
    let isChanged = false
    sizes.forEach((size, place) => {
      const growth = this.heights.set(first + place, size)
      if (growth) isChanged = true
      if (first + place < top) above += growth
    })
    if (isChanged) this.version += 1
    return above
  }

  /** The smallest scroll that brings a whole row into view. */
  scrollTo(at: number, covered: number): number {
    const start = this.heights.offsetOf(at)
    const end = this.heights.offsetOf(at + 1)
    const room = this.viewHeight - covered
    if (start < this.scrollTop) return start
    return end > this.scrollTop + room ? Math.min(start, end - room) : this.scrollTop
  }
}
