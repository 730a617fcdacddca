import { expect, test } from 'vitest'
import { shiftSpan, widenAround, zoomOut } from './spans'

const NOW = Date.parse('2026-11-15T13:00:00Z')
const PAST = { from: '2026-11-14T10:00:00Z', to: '2026-11-14T11:00:00Z' }

test('zooms out around the middle', () => {
  expect(zoomOut(PAST, NOW, 'UTC')).toEqual({
    from: '2026-11-14T09:30:00.000Z',
    to: '2026-11-14T11:30:00.000Z',
  })
})

test('zooms out into the past where the future begins', () => {
  expect(zoomOut({ from: '-1h', to: 'now' }, NOW, 'UTC')).toEqual({
    from: '2026-11-15T11:00:00.000Z',
    to: '2026-11-15T13:00:00.000Z',
  })
})

test('shifts by its own length', () => {
  expect(shiftSpan(PAST, 1, NOW, 'UTC')).toEqual({
    from: '2026-11-14T11:00:00.000Z',
    to: '2026-11-14T12:00:00.000Z',
  })
  expect(shiftSpan({ from: '-1h', to: 'now' }, -1, NOW, 'UTC')).toEqual({
    from: '2026-11-15T11:00:00.000Z',
    to: '2026-11-15T12:00:00.000Z',
  })
})

test('leaves a range without a beginning alone', () => {
  expect(zoomOut({ from: '', to: 'now' }, NOW, 'UTC')).toBeNull()
  expect(shiftSpan({ from: '', to: '' }, 1, NOW, 'UTC')).toBeNull()
})

const HOUR_MS = 3_600_000
const widen = (from: string, to: string, moment: string) =>
  widenAround({ from, to }, Date.parse(moment), HOUR_MS, NOW, 'UTC')

test.each([
  ['-3h', 'now', '2026-11-15T12:00:00Z'],
  ['', '', '2020-01-01T00:00:00Z'],
  ['-3h', 'now', '2026-11-15T12:59:59Z'],
  ['2026-11-14T00:00:00Z', '2026-11-15T00:00:00Z', '2026-11-14T12:00:00Z'],
])('a range from %j to %j that holds an hour around %s stays', (from, to, moment) => {
  expect(widen(from, to, moment)).toEqual({ from, to })
})

test('only the end that is too near is moved', () => {
  expect(widen('-15m', 'now', '2026-11-15T12:50:00Z')).toEqual({
    from: '2026-11-15T11:50:00.000Z',
    to: 'now',
  })
  expect(widen('2026-11-14T00:00:00Z', '2026-11-14T12:00:00Z', '2026-11-14T11:59:00Z')).toEqual({
    from: '2026-11-14T00:00:00Z',
    to: '2026-11-14T12:59:00.000Z',
  })
})

test('a moment outside of the range is taken in', () => {
  expect(widen('-15m', 'now', '2026-11-14T08:00:00Z')).toEqual({
    from: '2026-11-14T07:00:00.000Z',
    to: 'now',
  })
})

test('an event from the future is in the range', () => {
  expect(widen('-3h', 'now', '2026-11-15T14:00:00Z').to).toBe('2026-11-15T15:00:00.000Z')
})
