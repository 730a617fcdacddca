import { expect, it } from 'vitest'
import { explainLock } from './locks'

it('says what fixes a setting', () => {
  expect(explainLock('A hint.', undefined)).toBe('A hint.')
  expect(explainLock('A hint.', 'SERVICE_X')).toBe('A hint. Fixed by the environment variable SERVICE_X.')
  expect(explainLock('', 'SERVICE_X')).toBe('Fixed by the environment variable SERVICE_X.')
})
