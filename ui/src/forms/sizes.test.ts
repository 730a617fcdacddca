import { expect, it } from 'vitest'
import { toBytes, toGigabytes } from './sizes'

it('turns gigabytes into whole bytes and back', () => {
  expect(toBytes(0.001)).toBe(1_000_000)
  expect(toBytes(1.1)).toBe(1_100_000_000)
  expect(toGigabytes(1_500_000_000)).toBe(1.5)
})

it('keeps an empty size empty', () => {
  expect(toBytes(null)).toBeNull()
  expect(toGigabytes(null)).toBeNull()
})
