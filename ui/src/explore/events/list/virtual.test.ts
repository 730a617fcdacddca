import { expect, test } from 'vitest'
import { Virtual } from './virtual.svelte'

function make(count: number): Virtual {
  const virtual = new Virtual(20)
  virtual.resize(count)
  virtual.viewHeight = 100
  return virtual
}

test('shows what is in view and a little more on either side', () => {
  const virtual = make(1000)
  expect(virtual.window).toEqual({ first: 0, end: 14, offset: 0 })
  virtual.scrollTop = 10_000
  expect(virtual.window).toEqual({ first: 492, end: 514, offset: 9840 })
  virtual.scrollTop = 1e9
  expect(virtual.window.end).toBe(1000)
})

test('shows as many rows at most as there are elements for, wherever it is', () => {
  const virtual = make(1000)
  for (virtual.scrollTop = 0; virtual.scrollTop < 1000; virtual.scrollTop += 7) {
    const { first, end } = virtual.window
    expect(end - first).toBeLessThanOrEqual(22)
    expect(virtual.countSlots({ first, end })).toBe(22)
  }
})

test('has elements enough when rows turn out lower than was thought', () => {
  const virtual = make(1000)
  virtual.measure(0, Array<number>(100).fill(5))
  expect(virtual.window).toEqual({ first: 0, end: 29, offset: 0 })
  expect(virtual.countSlots(virtual.window)).toBe(29)
})

test('of no rows shows none', () => {
  expect(make(0).window).toEqual({ first: 0, end: 0, offset: 0 })
})

test('says by how much the rows above the view have grown, so that what is read stays where it is', () => {
  const virtual = make(1000)
  virtual.scrollTop = 1000
  expect(virtual.measure(48, [30, 25, 90, 20])).toBe(15)
  expect(virtual.total).toBe(20_000 + 10 + 5 + 70)
  expect(virtual.measure(48, [30, 25, 90, 20])).toBe(0)
})

test('scrolls to a row as little as can be', () => {
  const virtual = make(1000)
  virtual.scrollTop = 1000
  expect(virtual.scrollTo(52, 10)).toBe(1000)
  expect(virtual.scrollTo(10, 10)).toBe(200)
  expect(virtual.scrollTo(60, 10)).toBe(61 * 20 - 90)
})

test('shows the beginning of a row that is higher than the view', () => {
  const virtual = make(1000)
  virtual.measure(50, [500])
  expect(virtual.scrollTo(50, 10)).toBe(1000)
})

test('forgets heights when all rows are shown in another way', () => {
  const virtual = make(10)
  virtual.measure(0, [50, 60])
  virtual.reset(30)
  expect(virtual.total).toBe(300)
})
