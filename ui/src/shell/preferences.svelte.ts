/** The preferences of a user on this device, stored in the browser. */

export type Theme = 'system' | 'light' | 'dark'
export type Density = 'compact' | 'comfortable'

interface Kept {
  theme: Theme
  /** `local`, or the name of a zone such as `UTC`. */
  timezone: string
  wrap: boolean
  density: Density
  /** Whether consecutive similar events are collapsed into one row. */
  folds: boolean
  /** Whether the list has a column for the service of events. */
  showsService: boolean
  pinnedFields: string[]
  /** Widths of columns in pixels, by name. */
  widths: Record<string, number>
  fieldPanelOpen: boolean
}

const KEY = 'logboom.preferences'
const DEFAULTS: Kept = {
  theme: 'system',
  timezone: 'local',
  wrap: false,
  density: 'compact',
  folds: true,
  showsService: true,
  pinnedFields: [],
  widths: {},
  fieldPanelOpen: true,
}

/** A stored JSON value, or the fallback; a browser without storage is no error. */
export function recall<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(key)
    return text === null ? fallback : (JSON.parse(text) as T)
  } catch {
    return fallback
  }
}

export function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // The storage is full or forbidden: the choice is kept until the page is closed.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // The storage is forbidden, so there is nothing to remove.
  }
}

class Preferences {
  kept = $state<Kept>({ ...DEFAULTS, ...recall<Partial<Kept>>(KEY, {}) })

  constructor() {
    this.showTheme()
  }

  change(part: Partial<Kept>): void {
    Object.assign(this.kept, part)
    keep(KEY, this.kept)
    this.showTheme()
  }

  private showTheme(): void {
    const root = document.documentElement
    if (this.kept.theme === 'system') root.removeAttribute('data-theme')
    else root.setAttribute('data-theme', this.kept.theme)
  }
}

export const preferences = new Preferences()
