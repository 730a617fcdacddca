import { expect, test } from 'vitest'
import { findEnd, isMuted } from './mute'
import { readLabels, writeLabels } from './words'

const NOW = Date.parse('2026-03-02T10:00:00.700Z')

test('an alert is muted until a time', () => {
  expect(findEnd(1, NOW)).toBe('2026-03-02T11:00:00.000Z')
  expect(isMuted({ muted_until: findEnd(1, NOW) }, NOW)).toBe(true)
  expect(isMuted({ muted_until: '2026-03-02T09:00:00Z' }, NOW)).toBe(false)
  expect(isMuted({ muted_until: null }, NOW)).toBe(false)
})

test('labels are lines of names and values', () => {
  const labels = { team: 'shop', expression: 'a=b' }
  expect(readLabels(writeLabels(labels))).toEqual(labels)
  expect(readLabels(' team = shop \n\nalone')).toEqual({ team: 'shop', alone: '' })
})
