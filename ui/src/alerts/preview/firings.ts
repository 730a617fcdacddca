/** When an alert would have fired: a condition applied to the values of a preview. */
import type { Condition, Operator, Preview } from '../../api/alerts'

export interface Firing {
  /** In milliseconds. */
  from: number
  to: number
  peak: number
}

export interface Outcome {
  /** Of each step, in milliseconds. */
  times: number[]
  values: (number | null)[]
  isMet: boolean[]
  firings: Firing[]
  seconds: number
}

const TESTS: Record<Operator, (value: number, threshold: number) => boolean> = {
  above: (value, threshold) => value > threshold,
  at_least: (value, threshold) => value >= threshold,
  below: (value, threshold) => value < threshold,
  at_most: (value, threshold) => value <= threshold,
}

/** Whether the largest of several rows counts, or the smallest: of a condition only this affects the values of a preview. */
export function seeksLargest(operator: Operator): boolean {
  return operator === 'above' || operator === 'at_least'
}

/** Each run of steps that meet the condition is one firing, up to the first step that does not, or to the last. */
export function judge(
  { steps }: Pick<Preview, 'steps'>,
  { operator, threshold }: Pick<Condition, 'operator' | 'threshold'>,
): Outcome {
  const times = steps.map(({ time }) => Date.parse(time))
  const values = steps.map(({ value }) => (value === null ? null : Number(value)))
  const isMet = values.map((value) => value !== null && TESTS[operator](value, threshold))
  const pick = seeksLargest(operator) ? Math.max : Math.min
  const firings: Firing[] = []
  values.forEach((value, place) => {
    if (value === null || !isMet[place]) return
    const from = times[place] ?? 0
    const to = times[place + 1] ?? from
    const last = isMet[place - 1] ? firings.at(-1) : undefined
    if (last) Object.assign(last, { to, peak: pick(last.peak, value) })
    else firings.push({ from, to, peak: value })
  })
  const length = firings.reduce((sum, { from, to }) => sum + to - from, 0)
  return { times, values, isMet, firings, seconds: length / 1000 }
}
