import { expect, test } from 'vitest'
import type { Answer } from '../../api/search'
import { Answers, snapNow, type Asked } from './answers'

const { signal } = new AbortController()
const asked = (query: string): Asked => ({
  query,
  filter: '',
  env: 'default',
  index: '*',
  from: null,
  to: null,
  timezone: 'UTC',
  limit: 100,
  variables: {},
})

function makeAnswers() {
  const queries: string[] = []
  const clock = { now: 0 }
  const answer = ({ query }: Asked) => {
    queries.push(query)
    return query === 'bad' ? Promise.reject(new Error('bad')) : Promise.resolve({ query } as Answer)
  }
  return { queries, clock, answers: new Answers(answer, () => clock.now) }
}

test('equal questions are asked once, also when asked again soon', async () => {
  const { queries, clock, answers } = makeAnswers()
  const found = await Promise.all(['a', 'a', 'b'].map((query) => answers.find(asked(query), signal)))
  expect(found.map(({ query }) => query)).toEqual(['a', 'a', 'b'])
  await answers.find(asked('a'), signal)
  expect(queries).toEqual(['a', 'b'])
  clock.now = 61_000
  await answers.find(asked('a'), signal)
  expect(queries).toEqual(['a', 'b', 'a'])
})

test('what failed, and what is to be asked anew, is asked again', async () => {
  const { queries, answers } = makeAnswers()
  await expect(answers.find(asked('bad'), signal)).rejects.toThrow('bad')
  await expect(answers.find(asked('bad'), signal)).rejects.toThrow('bad')
  await answers.find(asked('a'), signal)
  answers.clear()
  await answers.find(asked('a'), signal)
  expect(queries).toEqual(['bad', 'bad', 'a', 'a'])
})

test('now moves in steps that suit the range', () => {
  const minute = 60_000
  expect(snapNow(1_000_007, 15 * minute)).toBe(snapNow(1_000_900, 15 * minute))
  expect(snapNow(10 * minute + 59_999, 24 * 60 * minute)).toBe(10 * minute)
  expect(snapNow(7000, 0)).toBe(5000)
})
