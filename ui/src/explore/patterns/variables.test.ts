import { expect, test } from 'vitest'
import { writeExpression } from './filter'
import { countValues, MAX_VALUES, writeVariables } from './variables'

test('every variable of a pattern has a group of its own', () => {
  const expression = new RegExp(
    writeExpression('order <num> by <ip> took <duration>', 'message', (number) => `v${number}`) ?? '',
  )
  expect(expression.exec('order 12 by 10.0.0.1 took 5ms')?.groups).toEqual({
    v0: '12',
    v1: '10.0.0.1',
    v2: '5ms',
  })
})

test('asks for the values of the pattern’s messages, whatever the query ends with', () => {
  const query = writeVariables('x # y', 'took <num>') ?? ''
  const [first, where, rex, fields] = query.split('\n| ')
  expect(first).toBe('x # y')
  expect(where).toBe('where message:pattern("took <num>")')
  expect(rex).toMatch(/^rex field=message "\^took \(\?<variable_0>/)
  expect(fields).toBe('fields variable_0')
})

test('nothing is asked about a pattern without variables, or one that is too long', () => {
  expect(writeVariables('', 'the same')).toBeNull()
  expect(writeVariables('', '<time> '.repeat(20))).toBeNull()
})

test('values are counted, the most frequent first', () => {
  const rows = [
    { variable_0: 'a', variable_1: '1' },
    { variable_0: 'b', variable_1: '2' },
    { variable_0: 'b' },
  ]
  expect(countValues(rows, 2)).toEqual([
    {
      values: [
        { text: 'b', count: 2 },
        { text: 'a', count: 1 },
      ],
      distinct: 2,
    },
    {
      values: [
        { text: '1', count: 1 },
        { text: '2', count: 1 },
      ],
      distinct: 2,
    },
  ])
})

test('only some of many values are kept', () => {
  const rows = Array.from({ length: 50 }, (_, place) => ({ variable_0: `x${place}` }))
  const [variable] = countValues(rows, 1)
  expect([variable?.values.length, variable?.distinct]).toEqual([MAX_VALUES, 50])
})
