/** The state of the Explore page: the view (in the address), what is typed, and what the server answered. */
import { SvelteSet } from 'svelte/reactivity'
import { ApiError } from '../api/client'
import * as api from '../api/search'
import type { Json } from '../api/json'
import { address } from '../shell/address.svelte'
import { Loader } from '../shell/loader.svelte'
import { preferences } from '../shell/preferences.svelte'
import { resolve } from '../time/range'
import { findWhole, MAX_PICKED, selectEvents, selectSpan, type Span } from './difference/selection'
import { nameZone } from '../time/zones'
import { findPage } from './events/pages'
import { joinRows } from './live/joining'
import { findFirst, findMore } from './fields/pages'
import { joinFilters, keepPinned, writeTest, type Filter } from './filters/filters'
import { remember } from './query/history.svelte'
import { findPanelScope } from './panels'
import { asksTheSame, EXPLORE, readView, writeView, type View } from './view'

const MAX_EVENTS = 10_000
const HISTOGRAM_BUCKETS = 90
const FIELDS_WAIT_MS = 1_000

export class Explore {
  view = $derived(readView(address.parameters))
  /** The text in the editor, which takes effect when it is run. */
  draft = $state('')
  /** The scope of the present answers; its times are fixed. */
  scope = $state.raw<api.Scope | null>(null)
  /** The scope of the panels: the events found, or those that a table was made from. */
  panelScope = $state.raw<api.Scope | null>(null)
  /** The first page. */
  answer = new Loader<api.Answer>()
  histogram = new Loader<api.Histogram>()
  fields = new Loader<api.FieldPage>()
  /** The rows of all loaded pages. */
  found = $state.raw<api.Row[]>([])
  /** In live mode: the events that have arrived since. */
  arrived = $state.raw<api.Row[]>([])
  rows = $derived(joinRows(this.arrived, this.found))
  cursor = $state.raw<string | null>(null)
  more = new Loader<api.Answer>()
  /** When the answer came, RFC 3339. */
  answeredAt = $state('')
  /** The row that the keyboard is on. */
  current = $state(-1)
  /** The ids of the events picked to be compared with the others. */
  picked = new SvelteSet<string>()
  /** The range in which the present one was selected by dragging. */
  private zoomedFrom: (Span & { range: string }) | null = null
  private asked: View | null = null

  get isTable(): boolean {
    return this.answer.value?.type === 'table'
  }

  /** The number of events that the panels describe. */
  get eventCount(): number {
    if (!this.isTable)
      return (this.answer.value?.total ?? this.found.length) + this.rows.length - this.found.length
    return this.histogram.value?.buckets.reduce((sum, bucket) => sum + bucket.count, 0) ?? 0
  }

  /**
   * The error to show, once however many requests failed. A table has no events to count. Panels beside an answer
   * may still belong to the previous query while it loads.
   */
  get trouble(): unknown {
    const { answer, histogram, fields } = this
    const isOfTable = histogram.error instanceof ApiError && histogram.error.code === 'invalid'
    const beside = [isOfTable ? null : histogram, fields].find((each) => each?.error && !each.isLoading)
    return answer.error ?? beside?.error ?? null
  }

  get isLoading(): boolean {
    return this.answer.isLoading
  }

  /** Update the page to the address; requests are sent only if the query changed. */
  follow(): void {
    const view = this.view
    if (this.asked && asksTheSame(this.asked, view)) return this.split(view)
    // Another range or filter does not change the text being typed.
    if (this.asked?.query !== view.query) this.draft = view.query
    this.ask(view)
  }

  /** Split the histogram by another field. */
  private split(view: View): void {
    const scope = this.panelScope
    if (!scope || this.asked?.by === view.by) return
    this.asked = view
    void this.histogram.load((signal) => this.count(scope, view, signal))
  }

  private async count(scope: api.Scope, { by }: View, signal: AbortSignal): Promise<api.Histogram> {
    const counted = await api.countOverTime(
      scope,
      { buckets: HISTOGRAM_BUCKETS, ...(by ? { by } : {}) },
      signal,
    )
    return { ...counted, by }
  }

  /** Show another view, as a new entry of the browser's history. */
  change(part: Partial<View>, { replace = false } = {}): void {
    address.go(EXPLORE, writeView({ ...this.view, ...part }), { replace })
  }

  /** Run another query; only pinned filters stay. */
  startAnew(part: Partial<View> & { query: string }): void {
    const filters = keepPinned(this.view.filters, part.filters ?? [])
    this.change({ event: null, ...part, filters })
  }

  /** Run the query in the editor, even if nothing changed, because "now" has moved on. */
  run(): void {
    if (this.draft === this.view.query) this.ask(this.view)
    else this.change({ query: this.draft, event: null })
  }

  /** Run the same query again at the present time; the text being typed stays. */
  refresh(): void {
    this.ask(this.view)
  }

  cancel(): void {
    for (const each of [this.answer, this.histogram, this.fields, this.more]) each.cancel()
  }

  /** The scope with times fixed at this moment, so that all panels describe the same events. */
  makeScope(view: View): api.Scope {
    const zone = preferences.kept.timezone
    return {
      query: view.query,
      filter: joinFilters(view.filters),
      env: view.env,
      index: view.index,
      ...resolve(view, Date.now(), zone),
      timezone: nameZone(zone),
    }
  }

  private ask(view: View): void {
    this.asked = view
    const scope = this.makeScope(view)
    this.scope = scope
    this.current = -1
    this.picked.clear()
    this.more.clear()
    remember(view)
    const answering = this.loadEvents(view, scope)
    const finding = findPanelScope(scope).then((found) => (this.panelScope = found))
    const counting = this.loadHistogram(finding)
    // Fields cost most and are looked at last, so they wait for rows and histogram, unless these take long.
    const first = Promise.race([
      Promise.all([answering, counting]),
      new Promise((resume) => setTimeout(resume, FIELDS_WAIT_MS)),
    ])
    this.loadFields(view, finding, first)
  }

  /** In live mode the list is sorted newest first. */
  private loadEvents({ sort, isLive }: View, scope: api.Scope): Promise<api.Answer | null> {
    return this.answer.load((signal) => this.askEvents(scope, isLive ? '' : sort, signal))
  }

  /** Load only the events again. */
  catchUp(): void {
    this.scope = this.makeScope(this.view)
    void this.loadEvents(this.view, this.scope)
  }

  /** Refresh the panels up to now, without the events. Fields cost most, so they are loaded only if there are none yet. */
  movePanels(): void {
    if (this.histogram.isLoading) return
    this.scope = this.makeScope(this.view)
    const finding = findPanelScope(this.scope)
    const counting = this.loadHistogram(finding)
    if (this.fields.value?.fields.length === 0 && !this.fields.isLoading)
      this.loadFields(this.view, finding, counting)
  }

  private loadFields(view: View, finding: Promise<api.Scope>, first: Promise<unknown>): void {
    const kept = [...view.columns, ...preferences.kept.pinnedFields]
    void this.fields.load((signal) => first.then(async () => findFirst(await finding, kept, signal)))
  }

  private loadHistogram(finding: Promise<api.Scope>): Promise<api.Histogram | null> {
    return this.histogram.load(async (signal) => this.count(await finding, this.view, signal))
  }

  private async askEvents(scope: api.Scope, sort: string, signal: AbortSignal): Promise<api.Answer> {
    const answer = await findPage(scope, sort, null, signal)
    this.found = answer.rows
    this.answeredAt = new Date().toISOString()
    this.cursor = answer.cursor
    return answer
  }

  /** Load the next page of events, up to MAX_EVENTS in all. */
  async loadMore(): Promise<void> {
    const { scope, cursor } = this
    if (!scope || !cursor || this.more.isLoading || this.found.length >= MAX_EVENTS) return
    const sort = this.asked && !this.asked.isLive ? this.asked.sort : ''
    const answer = await this.more.load((signal) => findPage(scope, sort, cursor, signal))
    if (!answer || this.scope !== scope) return
    this.found = [...this.found, ...answer.rows]
    this.cursor = answer.cursor
  }

  async loadMoreFields(): Promise<void> {
    const { panelScope: scope } = this
    const page = this.fields.value
    if (!scope || !page || page.nextOffset === null || this.fields.isLoading) return
    await this.fields.load((signal) => findMore(scope, page, signal))
  }

  addFilter(text: string): void {
    const filters = this.view.filters.filter((each) => each.text !== text)
    this.change({ filters: [...filters, { text, isEnabled: true }], event: null })
  }

  changeFilters(filters: Filter[]): void {
    this.change({ filters })
  }

  include(field: string, value: Json): void {
    this.addFilter(writeTest(field, value, true))
  }

  exclude(field: string, value: Json): void {
    this.addFilter(writeTest(field, value, false))
  }

  setRange(from: string, to: string): void {
    this.change({ from, to })
  }

  /** Zoom into a part of the present range, which can then be compared with the rest. */
  zoomTo(from: string, to: string): void {
    const span = this.readScopeSpan()
    this.zoomedFrom = span && { ...span, range: `${from} ${to}` }
    this.setRange(from, to)
  }

  /** Compare the events of the present range with the range it was selected in, or else with the time before it. */
  compareRange(): void {
    const span = this.readScopeSpan()
    if (!span) return
    const { from, to } = this.view
    const around = this.zoomedFrom?.range === `${from} ${to}` ? this.zoomedFrom : null
    const whole = findWhole(span, around)
    const [begin, end] = [whole.from, whole.to].map((moment) => new Date(moment).toISOString())
    this.change({ from: begin as string, to: end as string, selection: selectSpan(span), event: null })
  }

  /** Compare the picked events with the others. */
  comparePicked(): void {
    this.change({ selection: selectEvents(this.picked), event: null })
  }

  togglePicked(id: string): void {
    if (this.picked.delete(id) || this.picked.size >= MAX_PICKED) return
    this.picked.add(id)
  }

  /** The requested time range in milliseconds; null if an end is open. */
  private readScopeSpan(): Span | null {
    const { from = null, to = null } = this.scope ?? {}
    return from === null || to === null ? null : { from: Date.parse(from), to: Date.parse(to) }
  }

  toggleColumn(name: string): void {
    const { columns } = this.view
    const changed = columns.includes(name) ? columns.filter((each) => each !== name) : [...columns, name]
    this.change({ columns: changed }, { replace: true })
  }

  openEvent(id: string | null): void {
    this.change({ event: id }, { replace: this.view.event !== null && id !== null })
  }
}
