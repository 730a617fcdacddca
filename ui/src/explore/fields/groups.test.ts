import { expect, test } from 'vitest'
import type { FieldSummary } from '../../api/search'
import { groupFields, type Choice } from './groups'

const FIELDS: FieldSummary[] = [
  ['host', 5],
  ['level', 9],
  ['trace_id', 5],
  ['a.b', 1],
].map(([name, count]) => ({ name: String(name), count: Number(count), types: {}, distinct: null, top: [] }))

function show(choice: Partial<Choice>) {
  const groups = groupFields(FIELDS, { columns: [], pinned: [], search: '', order: 'count', ...choice })
  return Object.fromEntries(groups.map(({ label, fields }) => [label, fields.map((field) => field.name)]))
}

test('sorts by count or by name', () => {
  expect(show({})).toEqual({ 'All fields': ['level', 'host', 'trace_id', 'a.b'] })
  expect(show({ order: 'name' })).toEqual({ 'All fields': ['a.b', 'host', 'level', 'trace_id'] })
})

test('shows each field once: as a column, pinned, or among all', () => {
  expect(show({ columns: ['host'], pinned: ['host', 'a.b'] })).toEqual({
    Columns: ['host'],
    Pinned: ['a.b'],
    'All fields': ['level', 'trace_id'],
  })
})

test('keeps columns in their order, also those that no event has', () => {
  expect(show({ columns: ['level', 'gone', 'host'] })['Columns']).toEqual(['level', 'gone', 'host'])
})

test('finds a part of the name in any case', () => {
  expect(show({ search: ' RACE' })).toEqual({ 'All fields': ['trace_id'] })
  expect(show({ search: 'nothing' })).toEqual({})
})
