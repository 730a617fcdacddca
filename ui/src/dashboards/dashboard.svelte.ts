/** An open dashboard: its definition, the reader's choices, and the answers of its panels. */
import * as api from '../api/dashboards'
import type { Answer } from '../api/search'
import { findFirings } from '../charts/marks'
import { MOST_MOMENTS, readMoments, type Moment } from '../charts/moments'
import { address } from '../shell/address.svelte'
import { Loader } from '../shell/loader.svelte'
import { preferences } from '../shell/preferences.svelte'
import { session } from '../shell/session.svelte'
import { resolve, resolveEnd, type Fixed, type Range } from '../time/range'
import { nameZone } from '../time/zones'
import { Answers, snapNow } from './panels/answers'
import { settle } from './grid/layout'
import { isText } from './panels/panels'

/** Shared by all dashboards, so that one that is opened again is shown at once. */
const answers = new Answers()
const LOG_LIMIT = 100
const VARIABLE = 'var-'

export interface Shown {
  answer: Answer | null
  error: unknown
  isLoading: boolean
}

const NOTHING: Shown = { answer: null, error: null, isLoading: true }

export class OpenDashboard {
  loader = new Loader<api.Dashboard>()
  /** While it is being edited: what would be saved. */
  draft = $state.raw<api.Dashboard | null>(null)
  /** By the position of the panel. */
  shown = $state<Shown[]>([])
  /** The moments that all charts over time mark. */
  marked = new Loader<Moment[]>()
  /** The time range that all panels show. */
  fixed = $state.raw<Fixed>({ from: null, to: null })
  private controller = new AbortController()

  constructor(readonly id: string) {}

  /** As stored or as being edited; its panels do not overlap. */
  current = $derived.by(() => {
    const dashboard = this.draft ?? this.loader.value
    return dashboard && { ...dashboard, panels: settle(dashboard.panels) }
  })

  /** The range in the address, else the dashboard's own. */
  range = $derived.by<Range>(() => ({
    from: address.parameters.get('from') ?? String(this.current?.from ?? ''),
    to: address.parameters.get('to') ?? String(this.current?.to ?? ''),
  }))

  values = $derived.by<Record<string, string>>(() =>
    Object.fromEntries(
      (this.current?.variables ?? []).map((each) => [
        each.name,
        address.parameters.get(VARIABLE + each.name) ?? each.default,
      ]),
    ),
  )

  isMine = $derived(this.loader.value?.owner === session.user?.username)
  mayChange = $derived(this.isMine || (this.loader.value?.shared === true && session.mayEdit))

  /** The range that a time picker changes. */
  get view(): Range {
    return this.range
  }

  load(): Promise<unknown> {
    return this.loader.load((signal) => api.readDashboard(this.id, signal))
  }

  setRange(from: string, to: string): void {
    this.choose({ from, to })
  }

  setValue(name: string, value: string): void {
    this.choose({ [VARIABLE + name]: value })
  }

  private choose(chosen: Record<string, string>): void {
    const parameters = new URLSearchParams(address.parameters)
    for (const [name, value] of Object.entries(chosen)) parameters.set(name, value)
    address.go(address.path, parameters)
  }

  /** Run the queries of all panels again, without the cache. */
  refresh(): Promise<unknown> {
    answers.clear()
    return this.ask()
  }

  private fix(): Fixed {
    const zone = preferences.kept.timezone
    const now = Date.now()
    const start = resolveEnd(this.range.from, now, zone)
    const end = resolveEnd(this.range.to, now, zone) ?? now
    return resolve(this.range, snapNow(now, start === null ? 0 : end - start), zone)
  }

  /** Find the answers of all panels. */
  async ask(): Promise<void> {
    this.cancel()
    this.controller = new AbortController()
    const panels = this.current?.panels ?? []
    this.fixed = this.fix()
    this.shown = panels.map((_panel, place) => ({ ...(this.shown[place] ?? NOTHING), isLoading: true }))
    await Promise.all([...panels.map((_panel, place) => this.askOne(place)), this.askMarks()])
  }

  /** Find the moments that charts over time mark, for all panels together. */
  async askMarks(): Promise<void> {
    const { query = '', alerts = false } = this.current?.marks ?? {}
    if (!query && !alerts) return this.marked.clear()
    const panel = { query, env: '', index: '' }
    await this.marked.load(async (signal) => {
      const found = await Promise.all([
        query ? this.search(panel, MOST_MOMENTS, signal).then(({ rows }) => readMoments(rows)) : [],
        alerts ? findFirings(this.fixed, signal) : [],
      ])
      return found.flat()
    })
  }

  /** Where a panel searches: its own environment and index, else those of the dashboard. */
  placeOf(panel: Pick<api.Panel, 'env' | 'index'>): { env: string; index: string } {
    const { env, index } = this.current ?? { env: 'default', index: '*' }
    return { env: panel.env || env, index: panel.index || index }
  }

  /** Find the answer of one panel; an error is shown in that panel only. */
  async askOne(place: number): Promise<void> {
    const panel = this.current?.panels[place]
    if (!panel) return
    if (isText(panel)) {
      this.shown[place] = { answer: null, error: null, isLoading: false }
      return
    }
    const { signal } = this.controller
    this.shown[place] = { ...(this.shown[place] ?? NOTHING), isLoading: true }
    const found = await this.find(panel, signal)
    if (!signal.aborted) this.shown[place] = found
  }

  private async find(panel: api.Panel, signal: AbortSignal): Promise<Shown> {
    try {
      const answer = await this.search(panel, LOG_LIMIT, signal)
      return { answer, error: null, isLoading: false }
    } catch (error) {
      return { answer: null, error, isLoading: false }
    }
  }

  private search(
    panel: Pick<api.Panel, 'query' | 'env' | 'index'>,
    limit: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const timezone = nameZone(preferences.kept.timezone)
    const scope = { query: panel.query, filter: '', ...this.placeOf(panel), ...this.fixed, timezone }
    return answers.find({ ...scope, limit, variables: this.values }, signal)
  }

  cancel(): void {
    this.controller.abort()
    this.marked.cancel()
  }

  edit(): void {
    this.draft = this.current
  }

  change(part: Partial<api.DashboardDraft>): void {
    if (this.draft) this.draft = { ...this.draft, ...part }
  }

  /** Save the edited dashboard; throws if somebody else changed it meanwhile. */
  async save(): Promise<void> {
    const { draft } = this
    if (!draft) return
    const kept = await api.readDashboard(this.id)
    if (kept.updated !== this.loader.value?.updated)
      throw new Error('Someone else changed this dashboard. Export your version, then reload.')
    const { name, description, shared, variables, marks, panels, from, to, refresh_secs } = draft
    const change = { name, description, shared, variables, marks, panels, from, to, refresh_secs }
    this.loader.value = await api.changeDashboard(this.id, change)
    this.draft = null
  }

  discard(): void {
    this.draft = null
  }
}
