import { expect, test } from 'vitest'
import { describeRatio, describeShare } from './shares'

const share = (
  value: string | number | null,
  selected_share: number,
  rest_share: number,
  filter = 'a:=b',
) => ({
  value,
  selected: 0,
  rest: 0,
  selected_share,
  rest_share,
  filter,
})

test('a value is told with both shares and both filters', () => {
  expect(describeShare(share('b', 0.5, 0.25))).toEqual({
    label: 'b',
    selected: 0.5,
    rest: 0.25,
    include: 'a:=b',
    exclude: 'NOT a:=b',
  })
})

test('no value that is rarer among the selected is told as any value', () => {
  expect(describeShare(share(null, 0.25, 1, 'NOT a:*'))).toEqual({
    label: 'any value',
    selected: 0.75,
    rest: 0,
    include: 'a:*',
    exclude: 'NOT a:*',
  })
  expect(describeShare(share(null, 1, 0.25, 'NOT a:*')).label).toBe('no value')
})

test('control characters are shown, and what is empty has a name', () => {
  expect(describeShare(share('\u001b[31m', 1, 0)).label).not.toContain('\u001b')
  expect(describeShare(share('', 1, 0)).label).toBe('(empty)')
})

test.each([
  [0.5, 0, 'only here'],
  [0, 0.5, 'never here'],
  [0.5, 0.2, '2.5× more'],
  [0.2, 0.5, '2.5× less'],
  [0.5, 0.001, '500× more'],
])('%d against %d is %s', (selected, rest, words) => {
  expect(describeRatio({ label: '', selected, rest, include: '', exclude: '' })).toBe(words)
})
