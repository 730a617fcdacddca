import { expect, test } from 'vitest'
import type { Json } from '../../api/json'
import type { Parsed } from '../../api/search'
import { findGroups } from './groups'

const parsed = (query: string, ...pipes: Json[]): Parsed => ({
  query,
  ast: { type: 'Query', filter: { type: 'Everything' }, pipes },
  notices: [],
})
const key = (field: string, bucket: string | null = null, prefix_bits: number | null = null) => ({
  type: 'Key',
  field,
  bucket,
  prefix_bits,
})
const stats = (...keys: Json[]) => ({ type: 'Stats', aggregates: [{ name: 'count' }], keys })

test('a query without groups leads nowhere', () => {
  expect(findGroups(parsed('level:error | limit 5', { type: 'Limit', count: 5 }))).toBeNull()
})

test('the keys of stats are found, and the query before it', () => {
  const query = 'a:"x|y" | stats count by service, _time:5m, ip:/24 | sort -count'
  const groups = findGroups(
    parsed(query, stats(key('service'), key('_time', '5m'), key('ip', null, 24)), { type: 'Sort', keys: [] }),
  )
  expect(groups).toEqual({
    query: 'a:"x|y"',
    hasPipes: false,
    keys: [
      { field: 'service', bucket: null, prefixBits: null },
      { field: '_time', bucket: '5m', prefixBits: null },
      { field: 'ip', bucket: null, prefixBits: 24 },
    ],
    spread: null,
    patternField: null,
  })
})

test('pipes before the groups belong to the query', () => {
  const groups = findGroups(parsed('* | eval a = b | stats count by a', { type: 'Eval' }, stats(key('a'))))
  expect(groups?.query).toBe('* | eval a = b')
  expect(groups?.hasPipes).toBe(true)
})

test('groups of groups keep the keys that both have', () => {
  const groups = findGroups(
    parsed('* | stats count by a, b | stats count by b', stats(key('a'), key('b')), stats(key('b'))),
  )
  expect(groups?.keys.map(({ field }) => field)).toEqual(['b'])
})

test('a timechart is grouped by time and spread over its columns', () => {
  const timechart = {
    type: 'Timechart',
    aggregates: [{ name: 'count' }],
    span: null,
    by: key('level'),
    limit: 10,
  }
  const groups = findGroups(parsed('* | timechart count by level', timechart))
  expect(groups?.keys).toEqual([{ field: '_time', bucket: '', prefixBits: null }])
  expect(groups?.spread).toEqual({ field: 'level', aggregates: ['count'] })
})

test('top groups by its fields and those of by', () => {
  const groups = findGroups(
    parsed('* | top 5 path by host', { type: 'Top', fields: ['path'], limit: 5, by: ['host'] }),
  )
  expect(groups?.keys.map(({ field }) => field)).toEqual(['host', 'path'])
})
