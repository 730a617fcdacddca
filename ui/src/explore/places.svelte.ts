/** The environments and indexes to choose from. */
import { call } from '../api/client'
import { listIndexes, type IndexSummary } from '../api/search'
import { Loader } from '../shell/loader.svelte'

export class Places {
  envs = new Loader<{ name: string }[]>()
  indexes = new Loader<IndexSummary[]>()

  load(): void {
    void this.envs.load((signal) => call('GET', '/api/envs', { signal }))
  }

  loadIndexes(env: string): void {
    void this.indexes.load((signal) => listIndexes(env, signal))
  }

  /** Includes the environment in the address, even if the user has no access to it. */
  nameEnvs(current: string): string[] {
    const names = (this.envs.value ?? []).map((each) => each.name)
    return names.includes(current) ? names : [current, ...names]
  }
}
