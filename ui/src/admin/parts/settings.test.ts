import { expect, it } from 'vitest'
import type { Settings } from '../../api/control'
import { findDelayed, findLocks } from './settings'

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
