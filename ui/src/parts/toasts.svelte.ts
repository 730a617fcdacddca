/** Short messages at the edge of the page: something succeeded or failed. */
import { describe } from '../api/client'

export interface Toast {
  id: number
  kind: 'good' | 'bad'
  text: string
}

const SHOWN_MS = 5000

class Toasts {
  shown = $state<Toast[]>([])
  private next = 0

  private add(kind: Toast['kind'], text: string): void {
    const id = this.next++
    this.shown.push({ id, kind, text })
    setTimeout(() => this.drop(id), SHOWN_MS)
  }

  say(text: string): void {
    this.add('good', text)
  }

  complain(error: unknown): void {
    this.add('bad', describe(error))
  }

  drop(id: number): void {
    this.shown = this.shown.filter((each) => each.id !== id)
  }
}

export const toasts = new Toasts()
