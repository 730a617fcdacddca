/** Values that distinguish events, as shown: with both shares and both filters. */
import type { ValueShare } from '../../api/search'
import { cut, showLine } from '../../text/harmless'
import { writeValue } from '../events/text/values'
import { invert } from '../filters/filters'

const MAX_TEXT = 120

export interface Share {
  label: string
  selected: number
  rest: number
  /** Filters for the events with it, and for those without. */
  include: string
  exclude: string
}

/** A missing value that is rarer among the selected events is shown as the presence of a value. */
export function describeShare(value: ValueShare): Share {
  const { selected_share: selected, rest_share: rest, filter: include } = value
  const exclude = invert(include)
  if (value.value !== null) {
    const text = writeValue(value.value)
    return { label: cut(showLine(text), MAX_TEXT) || '(empty)', selected, rest, include, exclude }
  }
  if (selected >= rest) return { label: 'no value', selected, rest, include, exclude }
  return {
    label: 'any value',
    selected: 1 - selected,
    rest: 1 - rest,
    include: exclude,
    exclude: include,
  }
}

/** How many times more often the selected events have it, if that is meaningful. */
export function describeRatio({ selected, rest }: Share): string {
  if (rest === 0) return 'only here'
  if (selected === 0) return 'never here'
  const ratio = selected > rest ? selected / rest : rest / selected
  const written = ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)
  return `${written}× ${selected > rest ? 'more' : 'less'}`
}
