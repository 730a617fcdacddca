import { expect, test } from 'vitest'
import { Heights } from './heights'

function random(seed: number): () => number {
  let state = seed
  return () => (state = (state * 16807) % 2147483647) / 2147483647
}

test('begins with the estimate', () => {
  const heights = new Heights(20)
  heights.resize(100)
  expect(heights.total).toBe(2000)
  expect(heights.offsetOf(5)).toBe(100)
  expect(heights.rowAt(0)).toBe(0)
  expect(heights.rowAt(39.5)).toBe(1)
  expect(heights.rowAt(1e9)).toBe(99)
})

test('sums up as a plain loop would, whatever is set', () => {
  const next = random(7)
  const heights = new Heights(26)
  const plain = new Array<number>(500).fill(26)
  heights.resize(500)
  for (let round = 0; round < 2000; round++) {
    const at = Math.floor(next() * 500)
    const height = 10 + Math.floor(next() * 300)
    expect(heights.set(at, height)).toBe(height - (plain[at] ?? 0))
    plain[at] = height
  }
  let sum = 0
  plain.forEach((height, at) => {
    expect(heights.offsetOf(at)).toBe(sum)
    expect(heights.rowAt(sum)).toBe(at)
    expect(heights.rowAt(sum + height - 0.5)).toBe(at)
    sum += height
  })
  expect(heights.total).toBe(sum)
})

test('keeps heights when rows are added, and forgets them when told to', () => {
  const heights = new Heights(10)
  heights.resize(3)
  heights.set(1, 50)
  heights.resize(5)
  expect(heights.total).toBe(90)
  heights.resize(2)
  expect(heights.total).toBe(60)
  heights.reset(20)
  expect(heights.total).toBe(40)
})

test('of no rows is empty', () => {
  const heights = new Heights(10)
  expect(heights.total).toBe(0)
  expect(heights.rowAt(5)).toBe(0)
  expect(heights.set(3, 9)).toBe(0)
})
