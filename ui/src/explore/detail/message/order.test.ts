import { expect, test } from 'vitest'
import { layOutFields } from './order'

const STACK = 'Error: no\n    at find (/srv/find.js:1:2)\n    at main (/srv/main.js:3:4)'

test('the message comes first, stack traces after it, and what the service added last', () => {
  const row = {
    ...{ _time: 't', _id: 'i', _env: 'e', _index: 'x' },
    ...{ level: 'error', message: 'failed', stack: STACK, host: 'a', _raw: '{}' },
  }
  const { texts, entries } = layOutFields(row)
  expect(texts).toEqual([
    { field: 'message', text: 'failed' },
    { field: 'stack', text: STACK },
  ])
  expect(entries.map(([name]) => name)).toEqual(['level', 'host', '_index', '_time', '_env', '_id'])
})

test('an event may have neither message nor stack trace', () => {
  expect(layOutFields({ _id: 'i', n: 1 })).toEqual({
    texts: [],
    entries: [
      ['n', 1],
      ['_id', 'i'],
    ],
  })
})
