import { expect, it } from 'vitest'
import { describeRetention, sumUp } from './kept'

it('sums up the indexes of each environment', () => {
  const index = { env: 'default', index: 'a', events: 2, bytes: 30, first: null, last: null, days: 1 }
  const environment = { id: 'default', name: 'default', retention_days: 5, retention_bytes: null }
  const other = { id: 'other', name: 'Other', retention_days: null, retention_bytes: null }
  const unknown = { ...index, env: 'gone' }
  expect(sumUp([environment, other], [index, { ...index, index: 'b', events: 3 }, unknown])).toEqual([
    { ...environment, indexes: 2, events: 5, bytes: 60 },
    { ...other, indexes: 0, events: 0, bytes: 0 },
  ])
})

it('says how long events are kept, and when that is the general retention', () => {
  const keep = (retention_days: number | null) => ({ retention_days, retention_bytes: null })
  expect(describeRetention(keep(1), 30)).toBe('1 day')
  expect(describeRetention(keep(1500), null)).toBe('1,500 days')
  expect(describeRetention(keep(null), 30)).toBe('30 days (general)')
  expect(describeRetention(keep(null), null)).toBe('forever (general)')
})

it('says how much is kept where there is a limit', () => {
  expect(describeRetention({ retention_days: 7, retention_bytes: 5e9 }, null)).toBe('7 days, at most 5.0 GB')
})
