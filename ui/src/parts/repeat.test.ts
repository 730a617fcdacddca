import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repeatWhileVisible } from './repeat'

const page = Object.assign(new EventTarget(), { hidden: false })

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  page.hidden = false
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('acts again so long after each end, never twice at once, until it is ended', async () => {
  let finish: (() => void)[] = []
  const action = vi.fn(() => new Promise<void>((resolve) => finish.push(resolve)))
  const end = repeatWhileVisible(action, 1000)
  await vi.advanceTimersByTimeAsync(5000)
  expect(action).toHaveBeenCalledTimes(1)
  finish.forEach((each) => each())
  finish = []
  await vi.advanceTimersByTimeAsync(999)
  expect(action).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(action).toHaveBeenCalledTimes(2)
  end()
  finish.forEach((each) => each())
  await vi.advanceTimersByTimeAsync(5000)
  expect(action).toHaveBeenCalledTimes(2)
})

it('rests while the page is hidden, and goes on when it is shown', async () => {
  const action = vi.fn(() => Promise.resolve())
  page.hidden = true
  const end = repeatWhileVisible(action, 1000)
  await vi.advanceTimersByTimeAsync(5000)
  expect(action).not.toHaveBeenCalled()
  page.hidden = false
  page.dispatchEvent(new Event('visibilitychange'))
  await vi.advanceTimersByTimeAsync(0)
  expect(action).toHaveBeenCalledTimes(1)
  end()
})
