import { expect, it } from 'vitest'
import { splitList, toggle } from './lists'

it('reads a list with commas', () => {
  expect(splitList(' web, db-*,, ')).toEqual(['web', 'db-*'])
  expect(splitList('')).toEqual([])
})

it('adds what is not there and takes away what is', () => {
  expect(toggle(['web'], 'db')).toEqual(['web', 'db'])
  expect(toggle(['web', 'db'], 'web')).toEqual(['db'])
})
