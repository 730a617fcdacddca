import { expect, it } from 'vitest'
import type { Alert, AlertState } from '../../api/alerts'
import { copyOf, draftOf, findPreviewRange } from '../form/drafts'
import { findWindow, findView } from './window'

const STATE: AlertState = {
  status: 'firing',
  since: '2026-11-15T10:00:00Z',
  checked: '2026-11-15T10:30:00Z',
  value: 7,
  groups: [],
  error: '',
}
const ALERT: Alert = {
  ...draftOf({
    query: 'failed',
    filters: [
      { text: 'level:error', isEnabled: true },
      { text: 'off', isEnabled: false },
    ],
    env: 'prod',
    index: 'web-*',
  }),
  id: '1',
  name: 'failures',
  owner: 'ann',
  created: '',
  updated: '',
  state: STATE,
}

function windowOf(state: Partial<AlertState>) {
  return findWindow({ window_secs: 300, state: { ...STATE, ...state } })
}

it('is what the last check of an alert that fires looked at', () => {
  expect(windowOf({})).toEqual({ from: '2026-11-15T10:25:00.000Z', to: '2026-11-15T10:30:00Z' })
})

it('is what made it fire where another node asks', () => {
  expect(windowOf({ checked: null })).toEqual({
    from: '2026-11-15T09:55:00.000Z',
    to: '2026-11-15T10:00:00Z',
  })
})

it('moves with time for an alert that does not fire', () => {
  expect(windowOf({ status: 'ok' })).toEqual({ from: '-300s', to: 'now' })
  expect(windowOf({ since: null, checked: null })).toEqual({ from: '-300s', to: 'now' })
})

it('leads to the question as it is asked', () => {
  expect(findView(ALERT)).toMatchObject({
    query: 'failed',
    filters: [{ text: 'level:error', isEnabled: true }],
    env: 'prod',
    index: 'web-*',
    from: '2026-11-15T10:25:00.000Z',
    to: '2026-11-15T10:30:00Z',
  })
})

it('keeps what the server decides out of a copy, which shares nothing with the alert', () => {
  const copy = copyOf(ALERT)
  expect(Object.keys(copy).sort()).toEqual(Object.keys(draftOf({ ...ALERT, filters: [] })).sort())
  copy.filters.push('more')
  expect(ALERT.filters).toEqual(['level:error'])
})

it('previews what is looked at, or the last day where that has no beginning', () => {
  expect(findPreviewRange({ from: '-1h', to: 'now' })).toEqual({ from: '-1h', to: 'now' })
  expect(findPreviewRange({ from: '', to: '' })).toEqual({ from: '-24h', to: 'now' })
  expect(findPreviewRange({ from: '-1h', to: '' })).toEqual({ from: '-1h', to: 'now' })
})
