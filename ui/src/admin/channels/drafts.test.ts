import { expect, test } from 'vitest'
import type { Channel } from '../../api/channels'
import { draftOf, readHeaders, valuesOf } from './drafts'

const HOOK: Channel = {
  id: '1',
  name: 'on call',
  kind: 'webhook',
  url: 'https://example.org/hook',
  headers: { Authorization: '********' },
  to: [],
  smtp_url: '',
  has_secret: true,
  has_routing_key: false,
  used_by: 0,
}

test('what is shown of a channel is what is sent back', () => {
  expect(draftOf(valuesOf(HOOK))).toEqual({
    name: 'on call',
    kind: 'webhook',
    url: 'https://example.org/hook',
    secret: '********',
    headers: { Authorization: '********' },
  })
})

test('only what a kind takes is sent', () => {
  const values = { ...valuesOf(null), name: 'x', to: ['a@b'], smtp_url: 'smtp://h', url: 'http://x' }
  expect(draftOf({ ...values, kind: 'email' })).toEqual({
    name: 'x',
    kind: 'email',
    to: ['a@b'],
    smtp_url: 'smtp://h',
  })
  expect(draftOf({ ...values, kind: 'pagerduty', url: '', routing_key: 'k' })).not.toHaveProperty('url')
})

test('a header is a name and the rest of its line', () => {
  expect(readHeaders(['X-Key: a: b', 'alone'])).toEqual({ 'X-Key': 'a: b', alone: '' })
})
