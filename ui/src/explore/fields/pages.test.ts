import { expect, test } from 'vitest'
import type { FieldSummary } from '../../api/search'
import { mergeFields } from './pages'

function field(name: string, count: number): FieldSummary {
  return { name, count, types: { str: count }, distinct: null, top: [] }
}

test('pages are joined in order, each field once', () => {
  const merged = mergeFields([field('a', 3), field('z', 1)], [field('b', 2), field('z', 1)])
  expect(merged.map(({ name }) => name)).toEqual(['a', 'z', 'b'])
})
