import { expect, test } from 'vitest'
import { findTrace, listPivots, listTies } from './pivots'

test.each([
  ['trace_id', 'All events of this trace'],
  ['traceId', 'All events of this trace'],
  ['TraceID', 'All events of this trace'],
  ['otel.trace.id', 'All events of this trace'],
  ['request_id', 'All events of this request'],
  ['x-request-id', 'All events of this request'],
  ['http.request_id', 'All events of this request'],
  ['correlationId', 'All events of this correlation'],
  ['session_id', 'All events of this session'],
])('%s leads to its events', (field, label) => {
  expect(listPivots({ [field]: 'abc' })).toEqual([{ field, value: 'abc', label }])
})

test.each(['id', 'backtrace_identity', 'user_id', 'trace_idle', 'subtraceid'])(
  '%s leads nowhere',
  (field) => {
    expect(listPivots({ [field]: 'abc' })).toEqual([])
  },
)

test('an empty id, or a list, leads nowhere', () => {
  expect(listPivots({ trace_id: '', request_id: ['a', 'b'] })).toEqual([])
})

test('what may stay the same: places and ids that the event has', () => {
  expect(listTies({ host: 'a', message: 'x', service: 'b', trace_id: 't', user: ['p', 'q'] })).toEqual([
    'host',
    'service',
    'trace_id',
  ])
})

test('a trace is what is shown as one course, or else a request', () => {
  expect(findTrace({ request_id: 'r', traceId: 't' })?.field).toBe('traceId')
  expect(findTrace({ 'x-request-id': 'r', session_id: 's' })?.field).toBe('x-request-id')
  expect(findTrace({ session_id: 's' })).toBeNull()
})
