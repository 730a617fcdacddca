import { expect, test } from 'vitest'
import { joinClauses, replaceOnce } from './clauses'

test('parts are joined with the pipes that the query had', () => {
  expect(joinClauses(['a:1', 'b OR c'], 'a:1 (b OR c) x:2 | stats count by s')).toBe(
    'a:1 (b OR c) | stats count by s',
  )
  expect(joinClauses([], 'a:1 | stats count')).toBe('* | stats count')
  expect(joinClauses([], 'a:1')).toBe('')
})

test('a name or value is replaced where it stands as a whole', () => {
  expect(replaceOnce('levels:x level:eror', 'level', 'severity')).toBe('levels:x severity:eror')
  expect(replaceOnce('level:"e r" x', 'e r', '"error"')).toBe('level:"error" x')
  expect(replaceOnce('a:$1', '$1', '"$&"')).toBe('a:"$&"')
})
