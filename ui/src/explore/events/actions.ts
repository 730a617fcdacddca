/** The menu items for a value or a word of an event. */
import { copy } from '../../parts/copy'
import type { Explore } from '../explore.svelte'
import { writeName } from '../filters/filters'
import { describeTarget, writeFilter, type Target } from './targets'
import { writeValue } from './text/values'

export interface Action {
  label: string
  hint?: string
  act: () => void
}

/** The query with the number of events for each value of a field instead of the events. */
export function writeCountBy(query: string, field: string): string {
  // On a new line, because the query may end with a comment.
  const filter = query.trim()
  return `${filter ? `${filter}${filter.includes('#') ? '\n' : ' '}` : ''}| stats count by ${writeName(field)}`
}

export function countBy(explore: Explore, field: string): void {
  explore.change({ query: writeCountBy(explore.view.query, field), event: null })
}

export function listActions(
  explore: Explore,
  target: Target,
  open?: () => void,
  pick?: () => void,
): Action[] {
  const named = describeTarget(target)
  const text = target.word?.text ?? writeValue(target.value)
  const actions: Action[] = [
    { label: `Include ${named}`, act: () => explore.addFilter(writeFilter(target, true)) },
    { label: `Exclude ${named}`, act: () => explore.addFilter(writeFilter(target, false)) },
    { label: 'Copy', act: () => void copy(text) },
    {
      label: 'New search for this',
      act: () => explore.startAnew({ query: writeFilter(target, true) }),
    },
  ]
  if (!target.word)
    actions.push({ label: `Count by ${target.field}`, act: () => countBy(explore, target.field) })
  if (open) actions.push({ label: 'Open event', act: open })
  if (pick) actions.push({ label: 'Select event to compare', act: pick })
  return actions
}
