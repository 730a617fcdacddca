import { expect, test } from 'vitest'
import { findText } from './text'

test('a message is the text', () => {
  expect(findText({ message: 'disk full\n', log: 'other' })).toEqual({
    field: 'message',
    text: 'disk full\n',
  })
})

test.each([
  [{ log: 'started\n', stream: 'stdout' }, 'log', 'started'],
  [{ line: 'started' }, 'line', 'started'],
  [{ short_message: 'started', full_message: 'more' }, 'short_message', 'started'],
  [{ text: 'd', short_message: 'c', line: 'b', log: 'a' }, 'log', 'a'],
  [{ Log: 'started\r\n' }, 'log', 'started'],
  [{ log: '\n', line: 5, text: 'started' }, 'text', 'started'],
  [{ log: 'a', message: null }, 'log', 'a'],
])('%j is shown by its %s', (row, field, text) => {
  expect(findText(row)).toEqual({ field, text })
})

test.each([{ log: 'a', message: '' }, { log: 5, line: ['a'] }, { user: 'ann' }, {}])(
  '%j has no text',
  (row) => {
    expect(findText(row)).toBeNull()
  },
)
