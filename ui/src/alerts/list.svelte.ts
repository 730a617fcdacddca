/** The alerts that the user may see, and how many are firing; shared by the navigation bar and the Alerts page. */
import { listAlerts, type Alert } from '../api/alerts'
import type { Tagged } from '../api/tagged'
import { Loader } from '../shell/loader.svelte'

class AlertList {
  loader = new Loader<Tagged<Alert[]>>()

  get alerts(): Alert[] | null {
    return this.loader.value?.value ?? null
  }

  get tag(): string {
    return this.loader.value?.tag ?? '*'
  }

  get firingCount(): number {
    return (this.alerts ?? []).filter(({ state }) => state.status === 'firing').length
  }

  async load(): Promise<void> {
    await this.loader.load(listAlerts)
  }

  clear(): void {
    this.loader.clear()
  }
}

export const alertList = new AlertList()
