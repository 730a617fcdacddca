/** ANSI colours as names, for which the pages have readable colours. */
import { stripAnsi } from './ansi'

/** A piece of text and its CSS classes; none for plain text. */
export interface Run {
  text: string
  look: string
}

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
type Colour = (typeof NAMES)[number] | 'grey'

interface Look {
  ink: Colour | null
  ground: Colour | null
  traits: Set<string>
}

// A sequence that sets colours (SGR); all others are removed.
const SETS = /(?:\x1b\[|\x9b)([\d;:]*)m/g
const TRAITS: Record<number, string> = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underlined', 7: 'reversed' }
const ENDS: Record<number, string[]> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underlined'],
  27: ['reversed'],
}
/** The fraction of the brightest channel from which another channel counts as on. */
const ON = 0.6
const DARK = 48

/** The nearest of a few named colours, because arbitrary colours may not be readable on our background. */
function nameColour(red: number, green: number, blue: number): Colour {
  const most = Math.max(red, green, blue)
  if (most < DARK) return 'black'
  const isOn = (channel: number) => channel >= most * ON
  const bits = Number(isOn(red)) + 2 * Number(isOn(green)) + 4 * Number(isOn(blue))
  return bits === 7 && most < 160 ? 'grey' : (NAMES[bits] ?? 'white')
}

function nameBasic(number: number): Colour {
  return number === 8 ? 'grey' : (NAMES[number % 8] ?? 'white')
}

/** A colour of the 256-colour palette: sixteen names, a cube of six steps each, and greys. */
function nameOfPalette(number: number): Colour {
  if (number < 16) return nameBasic(number)
  if (number >= 232) return number < 238 ? 'black' : number < 248 ? 'grey' : 'white'
  const step = number - 16
  const [red, green, blue] = [Math.floor(step / 36), Math.floor(step / 6) % 6, step % 6]
  return nameColour(red * 51, green * 51, blue * 51)
}

/** The colour after 38 or 48; consumes the numbers that belong to it. */
function takeColour(numbers: number[]): Colour | null {
  const kind = numbers.shift()
  if (kind === 5) return nameOfPalette(numbers.shift() ?? 0)
  if (kind !== 2) return null
  const [red = 0, green = 0, blue = 0] = numbers.splice(0, 3)
  return nameColour(red, green, blue)
}

function follow(look: Look, written: string): void {
  const numbers = written.split(/[;:]/).map(Number)
  while (numbers.length) apply(look, numbers.shift() ?? 0, numbers)
}

/** Where each range of eight basic colours begins: for text and background, normal and bright. */
const BASIC: [start: number, part: 'ink' | 'ground', first: number][] = [
  [30, 'ink', 0],
  [40, 'ground', 0],
  [90, 'ink', 8],
  [100, 'ground', 8],
]
const PARTS: Record<number, 'ink' | 'ground'> = { 8: 'ink', 9: 'ink', 18: 'ground', 19: 'ground' }

function apply(look: Look, number: number, rest: number[]): void {
  if (number === 0) Object.assign(look, { ink: null, ground: null, traits: new Set() })
  else if (number < 30) applyTrait(look, number)
  else applyColour(look, number, rest)
}

function applyTrait({ traits }: Look, number: number): void {
  const trait = TRAITS[number]
  if (trait) traits.add(trait)
  for (const ended of ENDS[number] ?? []) traits.delete(ended)
}

function applyColour(look: Look, number: number, rest: number[]): void {
  // 38 and 48 select any colour, 39 and 49 the default one.
  const part = PARTS[number - 30]
  if (part) look[part] = number % 10 === 8 ? takeColour(rest) : null
  const basic = BASIC.find(([start]) => number >= start && number < start + 8)
  if (basic) look[basic[1]] = nameBasic(number - basic[0] + basic[2])
}

function writeLook({ ink, ground, traits }: Look): string {
  const names = [
    ink && `ansi-${ink}`,
    ground && `ansi-on-${ground}`,
    ...[...traits].map((each) => `ansi-${each}`),
  ]
  return names.filter(Boolean).join(' ')
}

/** The text without its sequences, split where its style changes. */
export function readRuns(text: string): Run[] {
  const look: Look = { ink: null, ground: null, traits: new Set() }
  const runs: Run[] = []
  let at = 0
  const take = (end: number) => {
    const plain = stripAnsi(text.slice(at, end))
    if (plain) runs.push({ text: plain, look: writeLook(look) })
  }
  for (const match of text.matchAll(SETS)) {
    take(match.index)
    follow(look, match[1] ?? '')
    at = match.index + match[0].length
  }
  take(text.length)
  return runs
}
