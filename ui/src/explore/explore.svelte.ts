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
  /** What stands in the editor; it counts once it is run. */
  draft = $state('')
  /** What the answers below were asked for; its times are fixed. */
  scope = $state.raw<api.Scope | null>(null)
  /** The events that the panels show: those that were found, or those that went into a table. */
  panelScope = $state.raw<api.Scope | null>(null)
  /** The first page. */
  answer = new Loader<api.Answer>()
  histogram = new Loader<api.Histogram>()
  fields = new Loader<api.FieldPage>()
  /** Of all pages that were loaded. */
  found = $state.raw<api.Row[]>([])
  /** While new events are followed: those that came since. */
  arrived = $state.raw<api.Row[]>([])
  rows = $derived(joinRows(this.arrived, this.found))
  cursor = $state.raw<string | null>(null)
  more = new Loader<api.Answer>()
  /** When the answer came, RFC 3339. */
  answeredAt = $state('')
  /** The row that the keyboard is at. */
  current = $state(-1)
  /** The events that were picked to be compared with the others, by their ids. */
  picked = new SvelteSet<string>()
  /** The range that the present one was chosen in by dragging. */
  private zoomedFrom: (Span & { range: string }) | null = null
  private asked: View | null = null

  get isTable(): boolean {
    return this.answer.value?.type === 'table'
  }

  /** How many events the panels speak of. */
  get eventCount(): number {
    if (!this.isTable)
      return (this.answer.value?.total ?? this.found.length) + this.rows.length - this.found.length
    return this.histogram.value?.buckets.reduce((sum, bucket) => sum + bucket.count, 0) ?? 0
  }

  /**
   * What went wrong, said once however many questions failed. A table has no events to count. What is beside an answer
   * may still be about the query before while it loads.
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

  /** Bring the page in line with the address; asks the server only if the question changed. */
  follow(): void {
    const view = this.view
    if (this.asked && asksTheSame(this.asked, view)) return this.split(view)
    // Another range or filter leaves alone what is being written.
    if (this.asked?.query !== view.query) this.draft = view.query
    this.ask(view)
  }

  /** The same events over time by another field. */
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

  /** Show another view: a step in the browser's history. */
  change(part: Partial<View>, { replace = false } = {}): void {
    address.go(EXPLORE, writeView({ ...this.view, ...part }), { replace })
  }

  /** Ask another question in place of this one: only the filters that are pinned stay. */
  startAnew(part: Partial<View> & { query: string }): void {
    const filters = keepPinned(this.view.filters, part.filters ?? [])
    this.change({ event: null, ...part, filters })
  }

  /** Run what is in the editor, also when nothing changed: "now" has moved on. */
  run(): void {
    if (this.draft === this.view.query) this.ask(this.view)
    else this.change({ query: this.draft, event: null })
  }

  /** Ask the same again, of what is now; what is being written stays. */
  refresh(): void {
    this.ask(this.view)
  }

  cancel(): void {
    for (const each of [this.answer, this.histogram, this.fields, this.more]) each.cancel()
  }

  /** Where and when, with times fixed at this moment, so that all panels speak of the same events. */
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
    // Rows and bars are looked at first, and the fields cost most: they do not compete, unless the others take long.
    const first = Promise.race([
      Promise.all([answering, counting]),
      new Promise((resume) => setTimeout(resume, FIELDS_WAIT_MS)),
    ])
    this.loadFields(view, finding, first)
  }

  /** Whatever is new is on top of what is followed. */
  private loadEvents({ sort, isLive }: View, scope: api.Scope): Promise<api.Answer | null> {
    return this.answer.load((signal) => this.askEvents(scope, isLive ? '' : sort, signal))
  }

  /** Ask for the events alone once more. */
  catchUp(): void {
    this.scope = this.makeScope(this.view)
    void this.loadEvents(this.view, this.scope)
  }

  /** Count anew up to now; the events stay. Fields cost most: they are read again only while there are none. */
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

  /** The next page of events, below those that are there; up to MAX_EVENTS in all. */
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

  /** Show a part of the present range; what is different there can be asked next. */
  zoomTo(from: string, to: string): void {
    const span = this.readScopeSpan()
    this.zoomedFrom = span && { ...span, range: `${from} ${to}` }
    this.setRange(from, to)
  }

  /** Compare the events of the present range with those around it: where it was chosen in, or else the time before it. */
  compareRange(): void {
    const span = this.readScopeSpan()
    if (!span) return
    const { from, to } = this.view
    const around = this.zoomedFrom?.range === `${from} ${to}` ? this.zoomedFrom : null
    const whole = findWhole(span, around)
    const [begin, end] = [whole.from, whole.to].map((moment) => new Date(moment).toISOString())
    this.change({ from: begin as string, to: end as string, selection: selectSpan(span), event: null })
  }

  /** Compare the events that were picked with the others. */
  comparePicked(): void {
    this.change({ selection: selectEvents(this.picked), event: null })
  }

  togglePicked(id: string): void {
    if (this.picked.delete(id) || this.picked.size >= MAX_PICKED) return
    this.picked.add(id)
  }

  /** The times that were asked for, in milliseconds; null where one of them is open. */
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
