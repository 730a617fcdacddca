import { expect, test, vi } from 'vitest'
import type { IndexSummary } from '../api/search'

vi.stubGlobal('location', { hash: '' })
vi.stubGlobal('addEventListener', () => undefined)
const { rangeOf, toIndexPlace, toSendPlace } = await import('./addresses')

const NOW = Date.parse('2026-11-15T13:00:00Z')

function summary(first: string | null, last: string | null): IndexSummary {
  return { index: 'app', events: 3, bytes: 10, days: 1, first, last }
}

test.each([
  ['nothing at all', null, null, { from: '-1h', to: 'now' }],
  ['the last hour', '2026-11-15T12:10:00Z', '2026-11-15T12:59:00Z', { from: '-1h', to: 'now' }],
  [
    'a day that goes on',
    '2026-11-14T12:10:00Z',
    '2026-11-15T12:59:00Z',
    { from: '2026-11-14T12:10:00.000Z', to: 'now' },
  ],
  [
    'what was long ago',
    '2025-01-01T00:00:00.123456789Z',
    '2025-01-02T00:00:00.000999Z',
    { from: '2025-01-01T00:00:00.123Z', to: '2025-01-02T00:00:00.001Z' },
  ],
  [
    'what is dated in the future',
    '2026-11-15T12:59:00Z',
    '2026-11-15T13:30:00Z',
    { from: '2026-11-15T12:59:00.000Z', to: '2026-11-15T13:30:00.001Z' },
  ],
])('the range of an index with %s holds its events', (_name, first, last, range) => {
  expect(rangeOf(summary(first, last), NOW)).toEqual(range)
})

test('places name what is not the default', () => {
  expect(toIndexPlace('prod', summary(null, null), NOW)).toBe('#/explore?env=prod&index=app')
  expect(toSendPlace('default')).toBe('#/send')
  expect(toSendPlace('prod', 'vector')).toBe('#/send/vector?env=prod')
})
