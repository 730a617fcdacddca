import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PreviewRequest } from '../../api/alerts'
import { Backtest } from './backtest.svelte'

const REQUEST: PreviewRequest = {
  query: 'failed',
  filters: ['level:error'],
  env: 'prod',
  index: '*',
  window_secs: 300,
  every_secs: 60,
  column: '',
  operator: 'above',
  threshold: 5,
  from: '2026-11-15T10:00:00Z',
  to: '2026-11-15T11:00:00Z',
}
const PREVIEW = { step_secs: 60, steps: [], firings: [], seconds_firing: 0, complete: true, column: 'count' }
const TABLE = { type: 'table', columns: ['service', 'count'], rows: [{ service: 'a', count: 1 }] }

interface Asked {
  path: string
  body: Record<string, unknown>
  signal: AbortSignal
}
let asked: Asked[] = []
const previews = () => asked.filter(({ path }) => path === '/api/alerts/preview')

beforeEach(() => {
  asked = []
  vi.useFakeTimers()
  vi.stubGlobal('fetch', (path: string, { body, signal }: { body: string; signal: AbortSignal }) => {
    asked.push({ path, body: JSON.parse(body) as Record<string, unknown>, signal })
    const answer = path === '/api/search' ? TABLE : PREVIEW
    return new Promise((resolve) => setTimeout(() => resolve(new Response(JSON.stringify(answer))), 1000))
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('asks once after a pause in typing', async () => {
  const backtest = new Backtest()
  for (const query of ['f', 'fa', 'failed']) {
    backtest.follow({ ...REQUEST, query })
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(asked).toEqual([])
  expect(backtest.isStale).toBe(true)
  await vi.advanceTimersByTimeAsync(2000)
  expect(previews().map(({ body }) => body)).toEqual([REQUEST])
  expect(backtest.preview.value).toEqual(PREVIEW)
  expect(backtest.isStale).toBe(false)
})

it('cancels the question before', async () => {
  const backtest = new Backtest()
  backtest.follow(REQUEST)
  await vi.advanceTimersByTimeAsync(500)
  backtest.follow({ ...REQUEST, window_secs: 60 })
  expect(previews().map(({ signal }) => signal.aborted)).toEqual([true])
  await vi.advanceTimersByTimeAsync(500)
  expect(previews().map(({ signal }) => signal.aborted)).toEqual([true, false])
  backtest.stop()
  expect(previews().map(({ signal }) => signal.aborted)).toEqual([true, true])
})

it('does not ask anew for another threshold, but where other rows may count', async () => {
  const backtest = new Backtest()
  backtest.follow(REQUEST)
  await vi.advanceTimersByTimeAsync(2000)
  backtest.follow({ ...REQUEST, threshold: 9 })
  backtest.follow({ ...REQUEST, operator: 'at_least' })
  await vi.advanceTimersByTimeAsync(2000)
  expect(previews()).toHaveLength(1)
  backtest.follow({ ...REQUEST, operator: 'below' })
  await vi.advanceTimersByTimeAsync(2000)
  expect(previews()).toHaveLength(2)
})

it('finds the columns with numbers, once for each question', async () => {
  const backtest = new Backtest()
  expect(backtest.columns).toBe(null)
  backtest.follow(REQUEST)
  await vi.advanceTimersByTimeAsync(2000)
  expect(backtest.columns).toEqual(['count'])
  backtest.follow({ ...REQUEST, every_secs: 10 })
  await vi.advanceTimersByTimeAsync(2000)
  expect(asked.filter(({ path }) => path === '/api/search').map(({ body }) => body['filter'])).toEqual([
    '(level:error)',
  ])
})
