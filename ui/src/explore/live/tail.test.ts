import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, mayPass } from '../../api/client'
import { follow, Messages } from './tail'

test('messages are put together from pieces, each with where to go on after it', () => {
  const messages = new Messages('')
  expect(messages.read(': tail\nid: A\n\nid: A\nda')).toEqual([])
  expect(messages.lastId).toBe('A')
  expect(messages.read('ta: {"n":1}\n\nid: B\ndata: {"n":2}\n\n: ping\n\n')).toEqual([
    { id: 'A', data: '{"n":1}' },
    { id: 'B', data: '{"n":2}' },
  ])
  expect(messages.lastId).toBe('B')
})

test('a warning is told from events', () => {
  const messages = new Messages('A')
  expect(messages.read('event: warning\ndata: {"message":"damaged"}\n\nid: B\ndata: {"n":2}\n\n')).toEqual([
    { id: 'A', data: '{"message":"damaged"}', isWarning: true },
    { id: 'B', data: '{"n":2}' },
  ])
})

test.each([
  [new TypeError('network error'), true],
  [new ApiError(0, 'unreachable', ''), true],
  [new ApiError(503, 'unavailable', ''), true],
  [new ApiError(429, 'overloaded', ''), true],
  [new ApiError(400, 'invalid', ''), false],
  [new ApiError(401, 'unauthenticated', ''), false],
])('%o may pass: %s', (error, passes) => {
  expect(mayPass(error)).toBe(passes)
})

function answer(text: string, status = 200): Response {
  return new Response(text, { status })
}

function makeListener() {
  const said: string[] = []
  const listener = {
    opened: () => said.push('opened'),
    received: ({ data }: { data: string }) => said.push(data),
    lost: () => said.push('lost'),
    refused: (error: unknown) => said.push(String((error as Error).message)),
  }
  return { said, listener }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a connection that ends is opened again after what came last, until it is refused', async () => {
  const refusal = '{"error":{"code":"invalid","message":"no such environment"}}'
  const fetch = vi
    .fn<(url: string, request: RequestInit) => Promise<Response>>()
    .mockResolvedValueOnce(answer(': tail\nid: A\n\n'))
    .mockRejectedValueOnce(new TypeError('refused'))
    .mockResolvedValueOnce(answer('{"error":{"code":"unavailable","message":"starting"}}', 503))
    .mockResolvedValueOnce(answer('id: B\ndata: one\n\n'))
    .mockResolvedValueOnce(answer(refusal, 400))
  vi.stubGlobal('fetch', fetch)
  const { said, listener } = makeListener()
  const following = follow('/api/tail', listener, new AbortController().signal)
  await vi.runAllTimersAsync()
  await following
  expect(said).toEqual(['opened', 'lost', 'lost', 'lost', 'opened', 'one', 'lost', 'no such environment'])
  const ids = fetch.mock.calls.map(([, request]) => new Headers(request.headers).get('Last-Event-ID'))
  expect(ids).toEqual([null, 'A', 'A', 'A', 'B'])
})

test('what is silent for too long is taken for dead', async () => {
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('id: A\n\n')),
  })
  const fetch = vi
    .fn<() => Promise<Response>>()
    .mockResolvedValueOnce(new Response(silent))
    .mockResolvedValueOnce(answer('', 403))
  vi.stubGlobal('fetch', fetch)
  const { said, listener } = makeListener()
  const following = follow('/api/tail', listener, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(39_000)
  expect(said).toEqual(['opened'])
  await vi.advanceTimersByTimeAsync(2_000)
  await following
  expect(said).toEqual(['opened', 'lost', 'the server answered 403'])
})

test('whoever leaves hears nothing more', async () => {
  const controller = new AbortController()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('refused')))
  const { said, listener } = makeListener()
  const following = follow('/api/tail', listener, controller.signal)
  await vi.advanceTimersByTimeAsync(100)
  controller.abort()
  await following
  expect(said).toEqual(['lost'])
})
