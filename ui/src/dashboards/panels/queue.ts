/** Work that waits its turn: no more than so many at once, in the order in which it came. */
export class Queue {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly most: number) {}

  /** The result of the work; it never begins once the signal says that nobody waits for it. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.running >= this.most) await this.wait(signal)
    signal.throwIfAborted()
    this.running += 1
    try {
      return await work()
    } finally {
      this.running -= 1
      this.waiting.shift()?.()
    }
  }

  private wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        const place = this.waiting.indexOf(begin)
        if (place >= 0) this.waiting.splice(place, 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.waiting.push(begin)
    })
  }
}
