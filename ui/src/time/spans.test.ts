import { expect, test } from 'vitest'
import { shiftSpan, zoomOut } from './spans'

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
