import { afterEach, expect, test, vi } from 'vitest'
import type { Scope } from '../../api/search'
import { findPage, findsEvents, writeSorted } from './pages'

test.each([
  ['', 'duration_ms', 0, '* | sort duration_ms | limit 500'],
  ['level:error', '-duration_ms', 0, 'level:error | sort -duration_ms | limit 500'],
  ['a # why', '_time', 0, 'a # why\n| sort "_time" | limit 500'],
  ['a', '-two words', 500, 'a | sort -"two words" | limit 1000 | offset 500'],
])('%j by %s from %i on is %j', (query, sort, start, expected) => {
  expect(writeSorted(query, sort, start, start + 500)).toBe(expected)
})

test('only events have columns to sort by', () => {
  expect(findsEvents('a | where x > 1 | sort x | limit 5')).toBe(true)
  expect(findsEvents('a')).toBe(true)
  expect(findsEvents('a | stats count by x')).toBe(false)
  expect(findsEvents('"a | stats" | eval y = 1')).toBe(true)
})

const SCOPE: Scope = {
  ...{ query: 'a | stats count', filter: '', env: 'default', index: '*' },
  ...{ from: null, to: null, timezone: 'UTC' },
}

afterEach(() => vi.unstubAllGlobals())

/** What was asked, of a server that reads a query as it is and always answers the same. */
function listen(answer: object): unknown[] {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', (url: string, { body }: { body: string }) => {
    const { query, limit, cursor } = JSON.parse(body) as Record<string, unknown>
    asked.push(url.endsWith('/parse') ? 'parse' : { query, limit, cursor })
    return Promise.resolve(Response.json(url.endsWith('/parse') ? { query } : answer))
  })
  return asked
}

test('a table is never sorted as events would be', async () => {
  const asked = listen({ rows: [], cursor: null })
  await findPage(SCOPE, '_time', null, new AbortController().signal)
  expect(asked).toEqual(['parse', { query: 'a | stats count', limit: 500, cursor: null }])
})

test('sorted events are counted once, and go on where the page before ended', async () => {
  const rows = Array.from({ length: 500 }, () => ({}))
  const asked = listen({ rows, cursor: null, total: 900, query: 'a' })
  const { signal } = new AbortController()
  const first = await findPage({ ...SCOPE, query: 'a' }, '_time', null, signal)
  expect([first.cursor, first.total]).toEqual(['500', 900])
  await findPage({ ...SCOPE, query: 'a' }, '_time', first.cursor, signal)
  expect(asked.map((each) => (each as { query: string }).query)).toEqual([
    'a | sort "_time" | limit 500',
    'a',
    'a | sort "_time" | limit 1000 | offset 500',
  ])
})
