import { expect, test } from 'vitest'
import { findStrength } from './painting'

test('a cell is as strong as its value, and one without any is not painted', () => {
  expect(findStrength(null, 10)).toBe(0)
  expect(findStrength(0, 10)).toBe(0)
  expect(findStrength(10, 10)).toBe(1)
  expect(findStrength(1, 100)).toBeGreaterThan(0.1)
  expect(findStrength(1, 100)).toBeLessThan(findStrength(50, 100))
  expect(findStrength(5, 0)).toBe(0)
})
