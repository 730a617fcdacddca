/** The progress of the tour, stored in the browser. */
import { keep, recall } from '../../shell/preferences.svelte'
import { STEPS } from './steps'

const KEY = 'logboom.tour'

class Tour {
  /** The index of the step; null if no tour is under way. */
  step = $state(recall<{ step: number | null }>(KEY, { step: null }).step)
  /** Whether it was finished or declined, so that it is not offered again. */
  isOver = $state(recall<{ isOver: boolean }>(KEY, { isOver: false }).isOver)

  go(step: number): void {
    this.step = Math.max(0, Math.min(step, STEPS.length - 1))
    this.keep()
  }

  end(): void {
    this.step = null
    this.isOver = true
    this.keep()
  }

  private keep(): void {
    keep(KEY, { step: this.step, isOver: this.isOver })
  }
}

export const tour = new Tour()
