import { expect, test } from 'vitest'
import type { IndexSummary } from '../api/search'
import { Arrivals } from './arrivals.svelte'

function summary(index: string, events: number): IndexSummary {
  return { index, events, bytes: 0, first: null, last: null, days: 1 }
}

function watch(store: Record<string, IndexSummary[]>): Arrivals {
  return new Arrivals(async (env) => store[env] ?? [])
}

test('counts what has come since the first look, in an index that was not there too', async () => {
  const store: Record<string, IndexSummary[]> = { default: [summary('app', 10), summary('other', 1)] }
  const arrivals = watch(store)
  const spots = [
    { env: 'default', index: 'app' },
    { env: 'prod', index: 'syslog' },
  ]
  await arrivals.look(spots)
  expect(arrivals.count).toBe(0)
  store['default'] = [summary('app', 13), summary('other', 9)]
  store['prod'] = [summary('syslog', 2)]
  await arrivals.look(spots)
  expect(arrivals.count).toBe(5)
  expect(arrivals.found.map(({ index, count }) => [index, count])).toEqual([
    ['app', 3],
    ['syslog', 2],
  ])
})

test('events that are removed do not hide those that come after', async () => {
  const store = { default: [summary('app', 10)] }
  const arrivals = watch(store)
  const spots = [{ env: 'default', index: 'app' }]
  await arrivals.look(spots)
  store.default = [summary('app', 4)]
  await arrivals.look(spots)
  expect(arrivals.count).toBe(0)
  store.default = [summary('app', 5)]
  await arrivals.look(spots)
  expect(arrivals.count).toBe(1)
})
