/** A collection that admins manage: its items, and the item that a dialog is open for. */
import type { Tagged } from '../../api/tagged'
import { toasts } from '../../parts/toasts.svelte'
import { Loader } from '../../shell/loader.svelte'

interface Thing {
  id: string
  enabled?: boolean
}

interface Operations<T extends Thing> {
  /** The noun for an item, such as `key`. */
  noun: string
  name: (thing: T) => string
  list: (signal: AbortSignal) => Promise<Tagged<T[]>>
  drop: (id: string, tag: string) => Promise<unknown>
  change?: (id: string, change: { enabled: boolean }, tag: string) => Promise<unknown>
}

/** A switch cannot overwrite changes of other users, so it needs no tag. */
const ANY = '*'

export class Managed<T extends Thing> {
  readonly found = new Loader<Tagged<T[]>>()
  edited = $state.raw<T | 'new' | null>(null)
  deleted = $state.raw<T | null>(null)
  readonly load = () => this.found.load(this.operations.list)

  constructor(readonly operations: Operations<T>) {
    void this.load()
  }

  get rows(): T[] | null {
    return this.found.value?.value ?? null
  }

  get tag(): string {
    return this.found.value?.tag ?? ANY
  }

  /** The one to change; null for a new one. */
  get known(): T | null {
    return this.edited === 'new' ? null : this.edited
  }

  readonly add = () => {
    this.edited = 'new'
  }

  readonly close = () => {
    this.edited = null
    this.deleted = null
  }

  async remove(thing: T): Promise<void> {
    const { noun, name, drop } = this.operations
    await drop(thing.id, this.tag)
    toasts.say(`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${name(thing)} deleted`)
    await this.load()
  }

  async switchOver(thing: T): Promise<void> {
    const { name, change } = this.operations
    try {
      await change?.(thing.id, { enabled: !thing.enabled }, ANY)
      toasts.say(`${name(thing)} is ${thing.enabled ? 'disabled' : 'enabled'}`)
    } catch (error) {
      toasts.complain(error)
    }
    await this.load()
  }
}
