import { expect, it } from 'vitest'
import { readFilter } from './reading'
import { writeTest } from './filters'

const read = (text: string) => {
  const found = readFilter(text)
  return found && [found.field, found.relation, found.value].filter(Boolean).join(' ')
}

it('shows what a click makes without its signs', () => {
  expect(read(writeTest('level', 'error'))).toBe('level = error')
  expect(read(writeTest('level', 'error', false))).toBe('level ≠ error')
  expect(read(writeTest('trace_id', null))).toBe('trace_id is missing')
  expect(read(writeTest('trace_id', null, false))).toBe('trace_id exists')
  expect(read(writeTest('user agent', 'a "b"\n'))).toBe('user agent = a "b"\n')
  expect(read(writeTest('status', 200))).toBe('status = 200')
  expect(read(writeTest('host', ''))).toBe('host = (empty)')
})

it('shows comparisons', () => {
  expect(read('duration_ms>=250ms')).toBe('duration_ms ≥ 250ms')
  expect(read('size<10')).toBe('size < 10')
  expect(read('path=~"^/api"')).toBe('path matches ^/api')
  expect(read('NOT path=~"^/api"')).toBe('path does not match ^/api')
})

it('leaves alone what is clear, or more than one test', () => {
  const texts = ['level:error', 'timeout', 'NOT size>3', 'a:="1" AND b:="2"', 'a:=*', 'path=~"\\S"', '']
  expect(texts.map(read)).toEqual(texts.map(() => null))
})
