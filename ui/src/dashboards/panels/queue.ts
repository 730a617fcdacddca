/** Runs work in the order in which it came, with a limit on how much runs at once. */
export class Queue {
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(private readonly most: number) {}

  /** The result of the work, which is not started once the signal is aborted. */
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
