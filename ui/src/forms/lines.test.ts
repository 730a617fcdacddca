import { expect, it } from 'vitest'
import { readLines } from './lines'

it('reads one text of each line, without blanks around it and without empty ones', () => {
  expect(readLines(' /a/*.log \n\n/b c\r\n')).toEqual(['/a/*.log', '/b c'])
  expect(readLines('\n')).toEqual([])
})
