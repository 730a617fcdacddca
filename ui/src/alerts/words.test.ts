import { describe, expect, it } from 'vitest'
import {
  describeCondition,
  describeGroup,
  describeOutcome,
  describeProblem,
  nameCompared,
  nameLength,
  shortenLength,
  writeNumber,
  writeQuestion,
} from './words'

const firing = { from: 0, to: 1, peak: 1 }

function outcome(count: number, seconds: number) {
  return { firings: Array.from({ length: count }, () => firing), seconds }
}

it('writes numbers as people read them', () => {
  expect([1234, 2n ** 60n, 0.000123456, 2.34567, 0, null].map(writeNumber)).toEqual([
    '1,234',
    '1,152,921,504,606,846,976',
    '0.0001235',
    '2.346',
    '0',
    '–',
  ])
})

it('names lengths in the largest unit that they are whole in', () => {
  expect([10, 60, 90, 300, 3600, 5400, 86_400, 604_800].map(nameLength)).toEqual([
    '10 seconds',
    '1 minute',
    '90 seconds',
    '5 minutes',
    '1 hour',
    '90 minutes',
    '1 day',
    '7 days',
  ])
})

it('shortens lengths to two parts', () => {
  expect([0, 45, 1500, 3900, 7200, 90_061].map(shortenLength)).toEqual([
    '0 s',
    '45 s',
    '25 min',
    '1 h 5 min',
    '2 h',
    '1 d 1 h',
  ])
})

describe('a condition', () => {
  const condition = { operator: 'at_least', threshold: 1500, window_secs: 300, every_secs: 60 } as const

  it('is a sentence', () => {
    expect(describeCondition('the number of events', condition)).toBe(
      'the number of events is at least 1,500 within the last 5 minutes, checked every minute',
    )
  })

  it('leaves room for a threshold that is being typed, and says one unit without its number', () => {
    const open = { ...condition, threshold: null, window_secs: 3600, every_secs: 30 }
    expect(describeCondition('p95', open)).toBe(
      'p95 is at least … within the last hour, checked every 30 seconds',
    )
  })

  it('is about events, a column, or what the server chooses of a table', () => {
    expect(nameCompared({ query: 'error', column: '' })).toBe('the number of events')
    expect(nameCompared({ query: '* | stats count()', column: '' })).toBe('the value')
    expect(nameCompared({ query: '* | stats count() as a\u202e', column: 'a\u202e' })).toBe('a<U+202E>')
  })
})

describe('a preview', () => {
  it('says how often and how long', () => {
    expect(describeOutcome(outcome(0, 0), true)).toBe('Would not have fired.')
    expect(describeOutcome(outcome(1, 60), true)).toBe('Would have fired once, for 1 min in total.')
    expect(describeOutcome(outcome(3, 1500), true)).toBe('Would have fired 3 times, for 25 min in total.')
  })

  it('does not measure what begins with the last step', () => {
    expect(describeOutcome(outcome(1, 0), true)).toBe('Would have fired once, at the very end.')
  })

  it('says when it is not all', () => {
    expect(describeOutcome(outcome(0, 0), false)).toMatch(/no time to ask/)
  })

  it('says why checks failed', () => {
    const step = { time: '', value: null, is_met: false }
    expect(describeProblem([step])).toBe('')
    expect(describeProblem([step, { ...step, error: 'no column x' }])).toBe(
      '1 of 2 checks failed: no column x',
    )
  })
})

it('writes a question with its filters', () => {
  expect(writeQuestion({ query: 'a', filters: ['b', 'c'] })).toBe('b · c · a')
  expect(writeQuestion({ query: ' ', filters: [] })).toBe('all events')
})

it('names a group by its values', () => {
  expect(
    describeGroup({ service: 'payment', status: 500, tags: ['a'], host: null, id: 12345678901234567890n }),
  ).toBe('service=payment, status=500, tags=["a"], host=–, id=12345678901234567890')
  expect(describeGroup({})).toBe('')
})
