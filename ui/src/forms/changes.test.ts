import { expect, it } from 'vitest'
import { findChanges } from './changes'

it('finds what was changed, also to nothing', () => {
  expect(findChanges({ days: 5, host: 'a' }, { days: 5, host: 'b' })).toEqual({ host: 'b' })
  expect(findChanges<{ days: number | null }>({ days: 5 }, { days: null })).toEqual({ days: null })
})
