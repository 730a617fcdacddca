/** The positions of many rows: heights are estimated until measured. Sums take logarithmic time. */
export class Heights {
  private count = 0
  private known = new Float64Array(0)
  /** A Fenwick tree of the differences between actual and estimated heights. */
  private sums = new Float64Array(1)

  constructor(private estimate: number) {}

  get total(): number {
    return this.offsetOf(this.count)
  }

  /** Change the number of rows; remaining rows keep their heights. */
  resize(count: number): void {
    if (count === this.count) return
    const known = new Float64Array(count)
    known.set(this.known.subarray(0, Math.min(count, this.count)))
    this.known = known
    this.count = count
    this.sums = new Float64Array(count + 1)
    for (let at = 0; at < count; at++) if (known[at]) this.add(at, (known[at] ?? 0) - this.estimate)
  }

  /** Forget all heights, because the rows look different now. */
  reset(estimate: number): void {
    this.estimate = estimate
    this.known.fill(0)
    this.sums.fill(0)
  }

  /** Record a height; returns by how much the row is higher than assumed. */
  set(at: number, height: number): number {
    const before = this.known[at] || this.estimate
    if (at >= this.count || height <= 0 || height === before) return 0
    this.known[at] = height
    this.add(at, height - before)
    return height - before
  }

  private add(at: number, more: number): void {
    for (let node = at + 1; node <= this.count; node += node & -node) {
      this.sums[node] = (this.sums[node] ?? 0) + more
    }
  }

  /** The offset of a row. */
  offsetOf(at: number): number {
    let sum = at * this.estimate
    for (let node = at; node > 0; node -= node & -node) sum += this.sums[node] ?? 0
    return sum
  }

  /** The row at an offset; the last one if it is below all rows. */
  rowAt(offset: number): number {
    let low = 0
    let high = Math.max(0, this.count - 1)
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.offsetOf(middle) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }
}
