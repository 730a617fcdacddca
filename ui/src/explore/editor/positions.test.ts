import { expect, test } from 'vitest'
import { toCodePoints, toUnits } from './positions'

const TEXT = 'a😀b ü👩‍💻 z'

test('counts a character outside of the first plane once', () => {
  expect(toCodePoints('a😀b', 3)).toBe(2)
  expect(toUnits('a😀b', 2)).toBe(3)
})

test('both ways lead back to the same place', () => {
  const length = [...TEXT].length
  for (let place = 0; place <= length; place += 1) {
    expect(toCodePoints(TEXT, toUnits(TEXT, place))).toBe(place)
    expect(TEXT.slice(0, toUnits(TEXT, place))).toBe([...TEXT].slice(0, place).join(''))
  }
})

test('places beyond the end are the end', () => {
  expect(toUnits('😀', 9)).toBe(2)
  expect(toCodePoints('😀', 9)).toBe(1)
})
