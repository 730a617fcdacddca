import { expect, test } from 'vitest'
import { describeSelection, findWhole, readSpan, selectEvents, selectSpan } from './selection'

test('a span of time becomes a selection and back', () => {
  const span = { from: 1_700_000_000_000, to: 1_700_000_060_000 }
  const selection = selectSpan(span)
  expect(selection).toBe('_time:[2023-11-14T22:13:20.000Z TO 2023-11-14T22:14:20.000Z}')
  expect(readSpan(selection)).toEqual(span)
  expect(describeSelection(selection, 'UTC')).toContain('22:13:20')
})

test('selections that are no span of time are none', () => {
  for (const text of ['level:error', '_time:[x TO y}', '_time:[2026-01-02 TO 2026-01-01}', ''])
    expect(readSpan(text)).toBeNull()
})

test('picked events are counted, and other filters shown as they are', () => {
  expect(describeSelection(selectEvents(['a', 'b']), 'UTC')).toBe('2 selected events')
  expect(describeSelection(selectEvents(['a']), 'UTC')).toBe('1 selected event')
  expect(describeSelection('level:error', 'UTC')).toBe('level:error')
})

test('a span is compared with the longer one that it was chosen in', () => {
  expect(findWhole({ from: 50, to: 60 }, { from: 0, to: 100 })).toEqual({ from: 0, to: 100 })
})

test('without one it is compared with the time before', () => {
  expect(findWhole({ from: 50, to: 60 }, null)).toEqual({ from: 0, to: 60 })
  expect(findWhole({ from: 50, to: 60 }, { from: 55, to: 100 })).toEqual({ from: 0, to: 60 })
  expect(findWhole({ from: 50, to: 60 }, { from: 50, to: 60 })).toEqual({ from: 0, to: 60 })
})
