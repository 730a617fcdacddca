import { expect, test } from 'vitest'
import { ApiError } from '../../api/client'
import { makeDiagnostic, readProblem } from './problems'

const fix = () => undefined

test('finds the place of an error behind characters of two units', () => {
  const error = new ApiError(400, 'invalid', 'col 5: unknown pipe "stat"', {
    start: 4,
    end: 8,
    expected: ['stats'],
    suggestion: '😀 | stats',
  })
  const problem = readProblem(error, '😀 | stat')
  expect(problem).toMatchObject({
    message: 'unknown pipe "stat"',
    start: 5,
    end: 9,
    suggestion: '😀 | stats',
  })
})

test('errors without a place, or in a filter, are no problems of the query', () => {
  expect(readProblem(new ApiError(400, 'invalid', 'no'), 'x')).toBeNull()
  expect(readProblem(new ApiError(400, 'invalid', 'no', { field: 'filter', start: 0 }), 'x')).toBeNull()
  expect(readProblem(new Error('x'), 'x')).toBeNull()
})

test.each([
  [1, 1, 1, 0, 1],
  [6, 6, 6, 5, 6],
  [0, 9, 4, 0, 4],
  [2, 3, 6, 2, 3],
])('marks %i to %i of %i characters as %i to %i', (start, end, length, from, to) => {
  const problem = { query: '', message: 'm', start, end, expected: [], suggestion: null }
  expect(makeDiagnostic(problem, length, fix)).toMatchObject({ from, to })
})

test('offers a fix where there is one', () => {
  const problem = { query: '', message: 'm', start: 0, end: 1, expected: [], suggestion: 'x' }
  expect(makeDiagnostic(problem, 1, fix).actions).toHaveLength(1)
  expect(makeDiagnostic({ ...problem, suggestion: null }, 1, fix).actions).toBeUndefined()
})
