import { expect, it } from 'vitest'
import type { Settings } from '../../api/control'
import { findChanges, findDelayed, findLocks } from './settings'
import { explainLock } from '../../forms/locks'

const SETTINGS = {
  overrides: [
    { setting: 'storage.block_flush_rows', variable: 'SERVICE_BLOCK_FLUSH_ROWS' },
    { setting: 'general.retention_days', variable: 'SERVICE_RETENTION_DEFAULT_DAYS' },
  ],
  needs_restart: ['storage.block_flush_secs'],
} as unknown as Settings

it('finds what variables fix in a section', () => {
  expect(findLocks(SETTINGS, 'storage')).toEqual({ block_flush_rows: 'SERVICE_BLOCK_FLUSH_ROWS' })
  expect(findLocks(SETTINGS, 'syslog')).toEqual({})
})

it('finds what counts after a restart only', () => {
  expect(findDelayed(SETTINGS, 'storage')).toEqual(['block_flush_secs'])
  expect(findDelayed(SETTINGS, 'general')).toEqual([])
})

it('finds what was changed, also to nothing', () => {
  expect(findChanges({ days: 5, host: 'a' }, { days: 5, host: 'b' })).toEqual({ host: 'b' })
  expect(findChanges<{ days: number | null }>({ days: 5 }, { days: null })).toEqual({ days: null })
})

it('says what fixes a setting', () => {
  expect(explainLock('A hint.', undefined)).toBe('A hint.')
  expect(explainLock('A hint.', 'SERVICE_X')).toBe('A hint. Fixed by the environment variable SERVICE_X.')
  expect(explainLock('', 'SERVICE_X')).toBe('Fixed by the environment variable SERVICE_X.')
})
