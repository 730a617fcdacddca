import { expect, test } from 'vitest'
import type { FieldSummary } from '../../api/search'
import { describeMix, hasNumbers, kindOfField } from './kinds'

function field(types: Record<string, number>, top: FieldSummary['top'] = []): FieldSummary {
  return { name: 'f', count: 1, types, distinct: 1, top }
}

test.each([
  [{ str: 3 }, 'text'],
  [{ int: 3 }, 'number'],
  [{ int: 3, float: 1 }, 'number'],
  [{ bool: 1 }, 'boolean'],
  [{ int: 3, str: 1 }, 'mixed'],
  [{}, 'text'],
])('of types %j is %s', (types, kind) => {
  expect(kindOfField(field(types), [])).toBe(kind)
})

test('a list is told from the events', () => {
  expect(kindOfField(field({ int: 2 }), [{ a: 1 }, { F: [1, 2] }])).toBe('list')
})

test('a time is a text that always reads as one', () => {
  const time = '2026-11-15T13:50:21Z'
  expect(kindOfField(field({ str: 1 }, [{ value: time, count: 1 }]), [])).toBe('time')
  expect(kindOfField(field({ str: 2 }, [{ value: time, count: 1 }]), [{ f: 'soon' }])).toBe('text')
})

test('the mix of types says the shares', () => {
  expect(describeMix({ str: 20, int: 80 })).toBe('int 80 %, str 20 %')
  expect(describeMix({ str: 20 })).toBe('str')
  expect(describeMix({})).toBe('')
})

test('numbers may be among other values', () => {
  expect(hasNumbers(field({ str: 1, float: 2 }))).toBe(true)
  expect(hasNumbers(field({ str: 1, bool: 2 }))).toBe(false)
})
