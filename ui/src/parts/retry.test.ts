import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../api/client'
import { chooseWait, Retry } from './retry.svelte'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  [new ApiError(0, 'unreachable', ''), 0, 5],
  [new ApiError(0, 'unreachable', ''), 99, 60],
  [new ApiError(429, 'overloaded', '', {}, 17), 0, 17],
  [new ApiError(503, 'unavailable', '', {}, 0), 0, 1],
  [new ApiError(429, 'overloaded', '', {}, 1e9), 0, 600],
  [new ApiError(400, 'invalid', ''), 0, null],
])('%o after %i failures waits for %s seconds', (error, failures, expected) => {
  expect(chooseWait(error, failures)).toBe(expected)
})

test('it counts down, asks again, and waits longer after each failure', () => {
  const again = vi.fn()
  const retry = new Retry(again)
  const gone = new ApiError(0, 'unreachable', '')
  retry.note(gone)
  expect(retry.secondsLeft).toBe(5)
  vi.advanceTimersByTime(4_000)
  expect(retry.secondsLeft).toBe(1)
  expect(again).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(again).toHaveBeenCalledOnce()
  expect(retry.secondsLeft).toBeNull()
  retry.note(gone)
  expect(retry.secondsLeft).toBe(10)
  retry.note(null)
  expect(retry.secondsLeft).toBeNull()
  vi.advanceTimersByTime(60_000)
  expect(again).toHaveBeenCalledOnce()
  retry.note(gone)
  expect(retry.secondsLeft).toBe(5)
})
