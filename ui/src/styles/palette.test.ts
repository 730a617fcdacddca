import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

type Rgb = [number, number, number]
type Theme = 'light' | 'dark'

const TEXT = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const TOKENS = new Map(
  [...TEXT.matchAll(/(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', light, dark]) => [
    name,
    { light, dark },
  ]),
)
const THEMES: Theme[] = ['light', 'dark']
const SERIES = Array.from({ length: 10 }, (_, place) => `--series-${place + 1}`)
/** Of most charts these are all. */
const FIRST = 4
/** How colours look to those who lack one of the three kinds of cones (Machado, Oliveira and Fernandes, 2009). */
const VISION: Record<string, [Rgb, Rgb, Rgb]> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** Linear light, from 0 to 1. */
function read(token: string, theme: Theme): Rgb {
  const hex = TOKENS.get(token)?.[theme] ?? ''
  const part = (at: number) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [part(1), part(3), part(5)]
}

const multiply = (rows: [Rgb, Rgb, Rgb], [r, g, b]: Rgb) =>
  rows.map(([x, y, z]) => Math.max(0, x * r + y * g + z * b)) as Rgb

const brightness = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b

function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [brightness(one), brightness(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** CIELAB, in which distances are about as large as they look. */
function toLab(linear: Rgb): Rgb {
  const [x, y, z] = multiply(
    [
      [0.4124, 0.3576, 0.1805],
      [0.2126, 0.7152, 0.0722],
      [0.0193, 0.1192, 0.9505],
    ],
    linear,
  )
  const root = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116)
  const [fx, fy, fz] = [root(x / 0.9505), root(y), root(z / 1.089)]
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)]
}

const distance = (one: Rgb, other: Rgb) =>
  Math.hypot(...one.map((value, place) => value - (other[place] ?? 0)))

function findHue(token: string, theme: Theme): number {
  const [, a, b] = toLab(read(token, theme))
  return ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360
}

describe.each(THEMES)('colours in the %s theme', (theme) => {
  it('of lines and areas stand out from the page', () => {
    const loud = ['--area-error', '--area-warn', '--level-fatal', '--level-info']
    for (const token of [...SERIES, ...loud])
      expect(contrast(read(token, theme), read('--surface', theme)), token).toBeGreaterThan(3)
  })

  it('of texts can be read on every ground', () => {
    const texts = ['--warn', '--bad', '--level-warn', '--level-error', '--ink-soft']
    const grounds = ['--surface', '--ground', '--surface-selected', '--surface-hover']
    for (const token of texts)
      for (const ground of grounds)
        expect(contrast(read(token, theme), read(ground, theme)), `${token} on ${ground}`).toBeGreaterThan(
          4.5,
        )
  })

  it('of warnings are amber, those of errors red', () => {
    for (const token of ['--warn', '--level-warn', '--area-warn', '--threshold-amber'])
      expect(Math.abs(findHue(token, theme) - 70), token).toBeLessThan(18)
    for (const token of ['--bad', '--level-error', '--area-error', '--threshold-red'])
      expect(Math.abs(findHue(token, theme) - 35), token).toBeLessThan(12)
  })

  it.each(Object.entries(VISION))('of series are told apart: %s', (_name, matrix) => {
    const seen = SERIES.map((token) => toLab(multiply(matrix, read(token, theme))))
    seen.forEach((one, place) =>
      seen.slice(place + 1).forEach((other, more) => {
        const next = place + 1 + more
        const least = next < FIRST ? 22 : 14
        expect(distance(one, other), `${SERIES[place]} and ${SERIES[next]}`).toBeGreaterThan(least)
      }),
    )
  })
})
