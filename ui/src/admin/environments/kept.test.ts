import { expect, it } from 'vitest'
import { describeRetention, sumUp } from './kept'

it('sums up the indexes of each environment', () => {
  const index = { env: 'default', index: 'a', events: 2, bytes: 30, first: null, last: null, days: 1 }
  const environment = { id: 'default', name: 'default', retention_days: 5 }
  const other = { id: 'other', name: 'Other', retention_days: null }
  const unknown = { ...index, env: 'gone' }
  expect(sumUp([environment, other], [index, { ...index, index: 'b', events: 3 }, unknown])).toEqual([
    { ...environment, indexes: 2, events: 5, bytes: 60 },
    { ...other, indexes: 0, events: 0, bytes: 0 },
  ])
})

it('says how long events are kept, and when that is the general retention', () => {
  expect(describeRetention(1, 30)).toBe('1 day')
  expect(describeRetention(1500, null)).toBe('1,500 days')
  expect(describeRetention(null, 30)).toBe('30 days (general)')
  expect(describeRetention(null, null)).toBe('for ever (general)')
})
