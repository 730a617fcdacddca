/** Thresholds as people type them: `500 amber, 2000 red`. */
import { chooseOf, COLOURS, type Threshold } from '../../charts/settings'

export function writeThresholds(thresholds: Threshold[]): string {
  return thresholds.map(({ value, color }) => `${value} ${color}`).join(', ')
}

/** Throws an error in plain words for an invalid threshold. */
export function readThresholds(text: string): Threshold[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map(readOne)
    .sort((one, other) => one.value - other.value)
}

function readOne(part: string): Threshold {
  const [number = '', name = '', ...rest] = part.split(/\s+/)
  const [value, color] = [Number(number), chooseOf(COLOURS, name.toLowerCase())]
  if (!Number.isFinite(value) || !color || rest.length)
    throw new Error(`"${part}" is not a value and a colour (${COLOURS.join(', ')})`)
  return { value, color }
}
