import { expect, test } from 'vitest'
import { findTimeBefore } from './before'

test('the time before is as long as the range', () => {
  const range = { from: '2026-01-01T10:00:00.000Z', to: '2026-01-01T10:30:00.000Z' }
  expect(findTimeBefore(range)).toEqual({ from: '2026-01-01T09:30:00.000Z', to: '2026-01-01T10:00:00.000Z' })
})

test('an open or empty range has none', () => {
  expect(findTimeBefore({ from: null, to: '2026-01-01T10:30:00Z' })).toBeNull()
  expect(findTimeBefore({ from: '2026-01-01T10:30:00Z', to: null })).toBeNull()
  expect(findTimeBefore({ from: '2026-01-01T10:30:00Z', to: '2026-01-01T10:30:00Z' })).toBeNull()
})
