import { expect, test } from 'vitest'
import { readWanted, writeQuery, writeWanted } from './wanted'

test('what is wanted stands in the address, without what is usual', () => {
  const wanted = { who: 'eva', action: '', outcome: 'refused', from: '', to: '' }
  expect(readWanted(writeWanted(wanted))).toEqual(wanted)
  expect(writeWanted(readWanted(new URLSearchParams())).toString()).toBe('')
})

test('the query tests what is wanted, whatever its characters', () => {
  const all = readWanted(new URLSearchParams())
  expect(writeQuery(all)).toBe('event:="audit"')
  expect(writeQuery({ ...all, who: 'a" OR *', action: 'user.create' })).toBe(
    'event:="audit" actor:="a\\" OR *" action:="user.create"',
  )
})
