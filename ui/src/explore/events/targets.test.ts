import { expect, test } from 'vitest'
import { layOut } from './list/columns'
import { describeTarget, listTargets, showValue, summarise, writeFilter } from './targets'

const DEFAULT = layOut([], {}, null)

test('of a message every word can be pointed at, behind the level', () => {
  const targets = listTargets({ _time: 't', level: 'warn', message: 'disk full', host: 'a' }, DEFAULT, false)
  expect(targets.map(describeTarget)).toEqual(['level: warn', 'disk', 'full'])
})

test('of an event without a message its fields can be pointed at', () => {
  const targets = listTargets({ _time: 't', user: 'ann', n: 5 }, DEFAULT, false)
  expect(targets.map(describeTarget)).toEqual(['user: ann', 'n: 5'])
})

test('what stands in for a message is pointed at word by word', () => {
  const [first, second] = listTargets({ _time: 't', log: 'disk full\n', host: 'a' }, DEFAULT, false)
  expect([first, second].map((target) => target && describeTarget(target))).toEqual(['disk', 'full'])
  expect(first && writeFilter(first, true)).toBe('"disk"')
})

test('of chosen columns each value that is there', () => {
  const targets = listTargets(
    { Host: 'a', message: 'x y' },
    layOut(['host', 'gone', 'message'], {}, null),
    false,
  )
  expect(targets.map(describeTarget)).toEqual(['host: a', 'x', 'y'])
})

test('a service is pointed at by the field that names it', () => {
  const columns = layOut([], {}, 'service')
  const [first] = listTargets({ app: 'shop', message: 'x' }, columns, false)
  expect(first && writeFilter(first, true)).toBe('app:="shop"')
})

test('words become text filters, values exact ones', () => {
  const [level, word] = listTargets({ level: 'warn', message: 'disk' }, DEFAULT, false)
  expect(level && writeFilter(level, true)).toBe('level:="warn"')
  expect(word && writeFilter(word, false)).toBe('NOT "disk"')
})

test('long text is cut in the list', () => {
  expect(showValue('x'.repeat(9000), true)).toHaveLength(2001)
  expect(showValue('x'.repeat(9000), false)).toHaveLength(501)
  expect(showValue('a\nb', false)).toBe('a⏎b')
  expect(showValue('a\nb', true)).toBe('a\nb')
})

test('a summary leaves out what is shown anyway', () => {
  expect(summarise({ _id: 'x', level: 'info', a: 'b\n', list: [1, 2] })).toEqual([
    { name: 'a', text: 'b⏎' },
    { name: 'list', text: '[1,2]' },
  ])
})
