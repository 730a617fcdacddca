/** A value that is loaded: the previous one stays until then, so that nothing on the page jumps. */
import { isAborted } from '../api/client'

export class Loader<T> {
  value = $state.raw<T | null>(null)
  error = $state.raw<unknown>(null)
  isLoading = $state(false)
  private controller: AbortController | null = null

  /** Load again; a pending request is cancelled, also on the server. */
  async load(fetch: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    this.controller?.abort()
    const controller = new AbortController()
    this.controller = controller
    this.isLoading = true
    try {
      const value = await fetch(controller.signal)
      if (this.controller === controller) this.settle(value, null)
      return value
    } catch (error) {
      if (this.controller === controller) this.settle(this.value, isAborted(error) ? null : error)
      return null
    }
  }

  private settle(value: T | null, error: unknown): void {
    this.value = value
    this.error = error
    this.isLoading = false
    this.controller = null
  }

  cancel(): void {
    this.controller?.abort()
  }

  clear(): void {
    this.cancel()
    this.controller = null
    this.settle(null, null)
  }
}
