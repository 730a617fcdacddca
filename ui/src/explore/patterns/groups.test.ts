import { expect, test } from 'vitest'
import { gather } from './groups'

const row = (pattern: string, count: number, rest: object = {}) => ({
  pattern,
  count,
  share: 0,
  sample: `${pattern} sample`,
  first: '2026-01-01T10:00:00Z',
  last: '2026-01-01T11:00:00Z',
  ...rest,
})

test('rows of one pattern come together, with their levels and services by frequency', () => {
  const found = gather([
    row('a', 6, { level: 'info', service: 'web' }),
    row('b', 2, { level: 'error', service: 'db' }),
    row('a', 2, { level: 'warn', service: 'api', first: '2026-01-01T09:00:00Z' }),
    row('a', 2, { level: 'warn', service: 'web', last: '2026-01-01T11:00:00.5Z' }),
  ])
  expect(found).toEqual([
    {
      pattern: 'a',
      sample: 'a sample',
      count: 10,
      share: (100 * 10) / 12,
      first: '2026-01-01T09:00:00Z',
      last: '2026-01-01T11:00:00.5Z',
      levels: ['info', 'warn'],
      services: ['web', 'api'],
    },
    expect.objectContaining({ pattern: 'b', count: 2, levels: ['error'], services: ['db'] }),
  ])
})

test('what has no level or service has none, and patterns of other fields stay apart', () => {
  const found = gather([row('a', 3, { level: null }), row('a', 1, { text_field: 'log' })])
  expect(found.map(({ text_field, levels, services }) => [text_field, levels, services])).toEqual([
    [undefined, [], []],
    ['log', [], []],
  ])
})

test('nothing has no patterns', () => {
  expect(gather([])).toEqual([])
})
