import { expect, test } from 'vitest'
import { showNumber, writeSpread } from './numbers'

test('asks about the events of the query, whatever the name', () => {
  expect(writeSpread('', 'a')).toMatch(/^\*\n\| stats min\(`a`\) as min, /)
  expect(writeSpread('x # y', 'odd-name')).toMatch(/^x # y\n\| stats min\(`odd-name`\)/)
  expect(writeSpread('', 'a`b')).toBeNull()
})

test('shows numbers shortly, and those that are none as they are', () => {
  expect(showNumber(336.5317)).toBe('336.5')
  expect(showNumber(12)).toBe('12')
  expect(showNumber(null)).toBe('–')
  expect(showNumber(1234567890123456789n)).toBe('1234567890123456789')
})
