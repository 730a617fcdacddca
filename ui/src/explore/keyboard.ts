/** The keyboard shortcuts of the Explore page: one table, shown with `?`. */
import { levelToken } from '../parts/colours'
import type EventList from './events/list/EventList.svelte'
import { pick } from './events/text/values'
import type { Explore } from './explore.svelte'

/** The parts of the page that shortcuts use. */
export interface Controls {
  explore: Explore
  focusQuery: () => void
  openTime: () => void
  list: () => EventList | undefined
  save: () => void
  help: () => void
}

export interface Shortcut {
  key: string
  label: string
  act: () => void
}

export interface Shortcuts {
  table: Shortcut[]
  handle: (event: KeyboardEvent) => void
}

/** Whether the focus is in a text input, where keys are not shortcuts; the editor is inside a shadow root. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0]
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

function isElsewhere(event: KeyboardEvent): boolean {
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    document.querySelector('dialog[open], [popover=auto]:popover-open') !== null
  )
}

const SEVERE = new Set(['--level-fatal', '--level-error'])

/** The index of the next event of level error or worse, with `step` 1 downwards or -1 upwards; -1 if there is none. */
export function findError(rows: Explore['rows'], from: number, step: 1 | -1): number {
  const begin = from < 0 && step < 0 ? rows.length : from
  for (let place = begin + step; place >= 0 && place < rows.length; place += step) {
    const row = rows[place]
    if (row && SEVERE.has(levelToken(pick(row, 'level')))) return place
  }
  return -1
}

export function listShortcuts(controls: Controls): Shortcuts {
  const { explore } = controls
  /** Moves the focus to the list, so that Enter and the like work there, unless event details are open. */
  const move = (go: (list: EventList) => void) => {
    const list = controls.list()
    if (!list) return
    if (explore.view.event === null) list.focusList()
    go(list)
  }
  const goToError = (step: 1 | -1) => {
    const place = findError(explore.rows, explore.current, step)
    if (place >= 0) move((list) => list.moveTo(place))
  }
  const table: Shortcut[] = [
    { key: '/', label: 'Edit the query', act: controls.focusQuery },
    { key: 't', label: 'Choose a time range', act: controls.openTime },
    { key: 'r', label: 'Run the query again', act: () => explore.run() },
    { key: 'j', label: 'Next event', act: () => move((list) => list.moveBy(1)) },
    { key: 'k', label: 'Previous event', act: () => move((list) => list.moveBy(-1)) },
    { key: 'o', label: 'Open the event', act: () => controls.list()?.openCurrent() },
    { key: 'u', label: 'Expand or collapse repeated events', act: () => controls.list()?.toggleFold() },
    { key: 'e', label: 'Next error', act: () => goToError(1) },
    { key: 'E', label: 'Previous error', act: () => goToError(-1) },
    { key: 'f', label: 'Include only events with this value', act: () => filter(controls, true) },
    { key: 'x', label: 'Exclude events with this value', act: () => filter(controls, false) },
    {
      key: 'l',
      label: 'Turn live mode on or off',
      act: () => explore.change({ isLive: !explore.view.isLive }),
    },
    { key: 's', label: 'Save query', act: controls.save },
    { key: 'Escape', label: 'Close the event', act: () => close(explore) },
    { key: '?', label: 'Show keyboard shortcuts', act: controls.help },
  ]
  const actions = new Map(table.map((shortcut) => [shortcut.key, shortcut.act]))
  return {
    table: [
      {
        key: 'Enter',
        label: 'Run the query in the editor, or open the event in the list',
        act: () => undefined,
      },
      { key: 'Space', label: 'Select the event to compare it with others', act: () => undefined },
      { key: '← →', label: 'Move between the values of an event', act: () => undefined },
      ...table,
    ],
    handle(event) {
      const act = actions.get(event.key)
      if (!act || event.defaultPrevented || isTyping(event) || isElsewhere(event)) return
      event.preventDefault()
      act()
    },
  }
}

function close(explore: Explore): void {
  if (explore.view.event !== null) explore.openEvent(null)
}

/** Filters by the value that the keyboard is on, or else by the level of the event. */
function filter({ explore, list }: Controls, isIncluded: boolean): void {
  if (list()?.filterByTarget(isIncluded)) return
  const row = explore.rows[explore.current]
  const level = row && pick(row, 'level')
  if (level === undefined || level === null) return
  if (isIncluded) explore.include('level', level)
  else explore.exclude('level', level)
}
