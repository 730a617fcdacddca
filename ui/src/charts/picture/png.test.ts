import { expect, test } from 'vitest'
import { layOut } from './png'

test('what has no room in a line begins the next, and what is wider than a line has its own', () => {
  expect(layOut([40, 40, 40], 100)).toEqual([[0, 1], [2]])
  expect(layOut([200, 10], 100)).toEqual([[0], [1]])
  expect(layOut([], 100)).toEqual([[]])
})
