import { expect, test } from 'vitest'
import { change, clamp, findBottom, overlaps, settle, type Box } from './layout'

const box = (x: number, y: number, w: number, h: number): Box => ({ x, y, w, h })
const hasOverlap = (boxes: Box[]) =>
  boxes.some((one, place) => boxes.some((other, each) => each > place && overlaps(one, other)))

test('a box stays on the grid', () => {
  expect(clamp(box(-3, -1, 30, 0))).toEqual(box(0, 0, 24, 1))
  expect(clamp(box(20, 2, 12, 500))).toEqual(box(12, 2, 12, 100))
  expect(clamp(box(1.4, 2.6, 3, 4))).toEqual(box(1, 3, 3, 4))
})

test('boxes that stand on each other are put below each other, gaps above them close', () => {
  expect(settle([box(0, 0, 12, 4), box(0, 0, 12, 4), box(12, 9, 12, 2)])).toEqual([
    box(0, 0, 12, 4),
    box(0, 4, 12, 4),
    box(12, 0, 12, 2),
  ])
})

test('what is moved pushes the others down', () => {
  const boxes = [box(0, 0, 12, 4), box(12, 0, 12, 4), box(0, 4, 24, 2)]
  const moved = change(boxes, 1, { x: 0 })
  expect(moved[1]).toEqual(box(0, 0, 12, 4))
  expect(moved[0]).toEqual(box(0, 4, 12, 4))
  expect(hasOverlap(moved)).toBe(false)
})

test('what grows pushes the others down, what shrinks lets them up', () => {
  const boxes = [box(0, 0, 24, 4), box(0, 4, 24, 4)]
  expect(change(boxes, 0, { h: 6 })[1]?.y).toBe(6)
  expect(change(boxes, 0, { h: 2 })[1]?.y).toBe(2)
})

test('many boxes at one place end without overlaps', () => {
  const settled = settle(Array.from({ length: 50 }, (_each, place) => box(place % 5, 0, 9, 3)))
  expect(hasOverlap(settled)).toBe(false)
  expect(findBottom(settled)).toBeGreaterThan(3)
  expect(findBottom([])).toBe(0)
})
