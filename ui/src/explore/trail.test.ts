import { expect, test } from 'vitest'
import { Trail } from './trail.svelte'

const HOUR = { from: '-1h', to: 'now' }
const DAY = { from: '-1d', to: 'now' }
const WEEK = { from: '-7d', to: 'now' }

test('goes back and on among the ranges that were visited', () => {
  const trail = new Trail()
  for (const range of [HOUR, DAY, WEEK]) trail.visit(range)
  expect(trail.step(-1)).toEqual(DAY)
  expect(trail.step(-1)).toEqual(HOUR)
  expect([trail.isAtStart, trail.isAtEnd]).toEqual([true, false])
  expect(trail.step(-1)).toBeNull()
  expect(trail.step(1)).toEqual(DAY)
})

test('a range that is shown by going back is no new one', () => {
  const trail = new Trail()
  for (const range of [HOUR, DAY]) trail.visit(range)
  trail.visit(trail.step(-1) ?? DAY)
  expect(trail.step(1)).toEqual(DAY)
})

test('what came after is forgotten once another range is chosen', () => {
  const trail = new Trail()
  for (const range of [HOUR, DAY]) trail.visit(range)
  trail.step(-1)
  trail.visit(WEEK)
  expect(trail.isAtEnd).toBe(true)
  expect(trail.step(-1)).toEqual(HOUR)
})
