import { expect, test } from 'vitest'
import { Queue } from './queue'

const never = new AbortController().signal
const pause = () => new Promise((resolve) => setTimeout(resolve, 1))

test('no more than so many run at once, and all of them run', async () => {
  const queue = new Queue(4)
  let [running, most] = [0, 0]
  const work = async (number: number) => {
    running += 1
    most = Math.max(most, running)
    await pause()
    running -= 1
    return number
  }
  const numbers = Array.from({ length: 20 }, (_each, place) => place)
  expect(await Promise.all(numbers.map((each) => queue.run(() => work(each), never)))).toEqual(numbers)
  expect(most).toBe(4)
})

test('work that fails lets the next one in', async () => {
  const queue = new Queue(1)
  const failing = queue.run(() => Promise.reject(new Error('no')), never)
  const next = queue.run(() => Promise.resolve('yes'), never)
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('who leaves while waiting is not run', async () => {
  const queue = new Queue(1)
  const leaving = new AbortController()
  let release: (value: string) => void = () => undefined
  const first = queue.run(() => new Promise<string>((resolve) => (release = resolve)), never)
  let isRun = false
  const second = queue.run(() => {
    isRun = true
    return Promise.resolve()
  }, leaving.signal)
  leaving.abort()
  await expect(second).rejects.toThrow()
  release('done')
  await first
  expect(isRun).toBe(false)
  expect(await queue.run(() => Promise.resolve(1), never)).toBe(1)
})
