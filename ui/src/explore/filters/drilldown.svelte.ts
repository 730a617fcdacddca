/** Actions for a cell of a table or a mark of a chart: filter by it, copy it, show its events. */
import * as api from '../../api/search'
import { clipSpan } from '../../charts/picture/stack'
import { copy } from '../../parts/copy'
import { toasts } from '../../parts/toasts.svelte'
import { Loader } from '../../shell/loader.svelte'
import { preferences } from '../../shell/preferences.svelte'
import { findEvents, findSpan, findStep, testCell, type Cell } from './drill'
import { cut, showLine } from '../../text/harmless'
import { writeValue } from '../events/text/values'
import type { Explore } from '../explore.svelte'
import { invert } from './filters'
import { findGroups, type Groups } from './groups'

export interface Action {
  label: string
  act: () => void
}

const MAX_LABEL = 60

export class Drilldown {
  private parsed = new Loader<Groups | null>()
  private following: Promise<unknown> = Promise.resolve()

  constructor(private explore: Explore) {}

  /** The grouping of the answer; null if there is none, or if it is not known yet. */
  get groups(): Groups | null {
    return this.parsed.value
  }

  isKey(column: string): boolean {
    return this.groups?.keys.some(({ field }) => field === column) ?? false
  }

  /** Find out how the query of the present answer groups events. */
  follow(): void {
    const { scope } = this.explore
    if (!scope) return
    const { query, env } = scope
    this.following = this.parsed.load(async (signal) => findGroups(await api.parseQuery(query, env, signal)))
  }

  private makeCell(row: api.Row, column: string): Cell {
    const { rows, answer } = this.explore
    const columns = answer.value?.columns ?? []
    return { row, column, columns, step: findStep(rows), zone: preferences.kept.timezone }
  }

  listActions(row: api.Row, column: string): Action[] {
    const { groups, explore } = this
    const value = row[column] ?? null
    const text = writeValue(value)
    const named = value === null ? 'no value' : showLine(cut(text, MAX_LABEL))
    const actions: Action[] = []
    // Offered also while the query is still being parsed.
    if (groups || this.parsed.isLoading)
      actions.push({ label: 'Show events', act: () => void this.open(row, column) })
    if (groups) {
      const cell = this.makeCell(row, column)
      const span = column === '_time' ? findSpan(groups, cell) : null
      const test = groups.hasPipes ? null : testCell(groups, cell)
      if (span) actions.push({ label: 'Zoom to this time', act: () => this.zoom(span) })
      if (test !== null)
        actions.push(
          { label: `Include ${named}`, act: () => explore.addFilter(test) },
          { label: `Exclude ${named}`, act: () => explore.addFilter(invert(test)) },
        )
    }
    return [...actions, { label: 'Copy', act: () => void copy(text) }]
  }

  private clip(span: { from: number; to: number }): { from: string; to: string } {
    return clipSpan(span, this.explore.scope ?? { from: null, to: null })
  }

  private zoom(span: { from: number; to: number }): void {
    const { from, to } = this.clip(span)
    this.explore.setRange(from, to)
  }

  /** Go to the events behind a cell. */
  async open(row: api.Row, column: string): Promise<void> {
    await this.following
    const target = this.groups && findEvents(this.groups, this.makeCell(row, column))
    if (!target) {
      toasts.complain(
        new Error('the query changes the fields it groups by, so the events behind this row cannot be found'),
      )
      return
    }
    const { filters } = this.explore.view
    const added = target.filters.filter(
      (text) => !filters.some((each) => each.text === text && each.isEnabled),
    )
    this.explore.change({
      query: target.query,
      filters: [...filters, ...added.map((text) => ({ text, isEnabled: true }))],
      ...(target.span ? this.clip(target.span) : {}),
      tab: 'events',
      event: null,
    })
  }
}
