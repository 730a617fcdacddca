import { describe, expect, it } from 'vitest'
import type { Preview } from '../../api/alerts'
import { judge, seeksLargest } from './firings'

const START = Date.parse('2026-11-15T10:00:00Z')
const MINUTE = 60_000

function preview(...values: (number | bigint | null)[]): Pick<Preview, 'steps'> {
  const steps = values.map((value, place) => ({
    time: new Date(START + place * MINUTE).toISOString(),
    value,
    is_met: false,
  }))
  return { steps }
}

describe('what would have fired', () => {
  it('begins with the first step that meets the condition and ends with the first that does not', () => {
    const outcome = judge(preview(1, 6, 9, 7, 2, 8), { operator: 'above', threshold: 5 })
    expect(outcome.isMet).toEqual([false, true, true, true, false, true])
    expect(outcome.firings).toEqual([
      { from: START + MINUTE, to: START + 4 * MINUTE, peak: 9 },
      { from: START + 5 * MINUTE, to: START + 5 * MINUTE, peak: 8 },
    ])
    expect(outcome.seconds).toBe(180)
  })

  it('counts the threshold itself only where it is said to', () => {
    const values = preview(5)
    const isMet = (operator: Parameters<typeof seeksLargest>[0]) =>
      judge(values, { operator, threshold: 5 }).isMet
    expect(isMet('above')).toEqual([false])
    expect(isMet('at_least')).toEqual([true])
    expect(isMet('below')).toEqual([false])
    expect(isMet('at_most')).toEqual([true])
  })

  it('takes the lowest value where low ones count', () => {
    const { firings } = judge(preview(3, 1, 2), { operator: 'below', threshold: 4 })
    expect(firings.map(({ peak }) => peak)).toEqual([1])
  })

  it('is never met without a value, which ends what fires', () => {
    const outcome = judge(preview(0, null, 0), { operator: 'at_most', threshold: 0 })
    expect(outcome.isMet).toEqual([true, false, true])
    expect(outcome.firings).toHaveLength(2)
  })

  it('compares numbers that have more digits than a double', () => {
    const { values, isMet } = judge(preview(2n ** 60n), { operator: 'above', threshold: 5 })
    expect([values, isMet]).toEqual([[2 ** 60], [true]])
  })

  it('is nothing without steps', () => {
    expect(judge(preview(), { operator: 'above', threshold: 0 })).toEqual({
      times: [],
      values: [],
      isMet: [],
      firings: [],
      seconds: 0,
    })
  })
})

it('asks anew only when another row may count', () => {
  expect((['above', 'at_least', 'below', 'at_most'] as const).map(seeksLargest)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
