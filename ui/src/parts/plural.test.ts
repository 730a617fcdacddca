import { expect, it } from 'vitest'
import { formatMany } from './plural'

it('counts one and many', () => {
  expect(formatMany(1, 'event')).toBe('1 event')
  expect(formatMany(0, 'event')).toBe('0 events')
  expect(formatMany(20901, 'event')).toBe('20,901 events')
  expect(formatMany(2, 'query', 'queries')).toBe('2 queries')
})
