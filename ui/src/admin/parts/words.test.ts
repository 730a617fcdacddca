import { expect, it } from 'vitest'
import { countOf } from './words'

it('counts one and many', () => {
  expect(countOf(1, 'event')).toBe('1 event')
  expect(countOf(0, 'event')).toBe('0 events')
  expect(countOf(20901, 'event')).toBe('20,901 events')
})
