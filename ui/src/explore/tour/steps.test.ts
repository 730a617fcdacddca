import { expect, it } from 'vitest'
import { STEPS, viewOf } from './steps'

it('has six steps, each about the last day of the environment', () => {
  const views = STEPS.map((step) => viewOf(step, 'shop'))
  expect(views).toHaveLength(6)
  for (const { env, from, to, index, filters } of views)
    expect([env, from, to, index, filters]).toEqual(['shop', '-24h', 'now', '*', []])
})
