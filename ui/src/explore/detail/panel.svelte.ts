/** Preferences for the event details on this device. */
import { keep, recall } from '../../shell/preferences.svelte'

export const TABS = ['Fields', 'JSON', 'Raw', 'Context', 'Trace'] as const
export type DetailTab = (typeof TABS)[number]

export const MIN_WIDTH = 320
export const MAX_WIDTH = 1200
const KEY = 'logboom.detail'

class Panel {
  kept = $state({ tab: 'Fields' as DetailTab, width: 440, ...recall<object>(KEY, {}) })

  change(part: Partial<Panel['kept']>): void {
    Object.assign(this.kept, part)
    keep(KEY, this.kept)
  }
}

export const panel = new Panel()
