/** How hard a password is to guess: only a hint, because the server decides. */

export const LEAST_LENGTH = 8
export const MOST_LENGTH = 1024

export type Strength = 'too short' | 'weak' | 'fair' | 'strong'

const KINDS: [pattern: RegExp, size: number][] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/ /, 1],
  [/[^a-zA-Z0-9 ]/, 33],
]
const FAIR_BITS = 45
const STRONG_BITS = 70
const USUAL = /pass ?word|qwert|asdf|12345|letmein|welcome|admin|logboom|iloveyou|dragon|monkey|abc/gi

/** Repeats and runs such as `aaaa` or `3456` count as one character. */
function countSurprises(text: string): number {
  let count = 0
  let before = NaN
  let step = NaN
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const isExpected = code - before === step && Math.abs(step) <= 1
    if (!isExpected) count += 1
    step = code - before
    before = code
  }
  return count
}

/** Common words and the user's own name count as one character. */
function leaveOutUsual(password: string, username: string): string {
  const text = password.replace(USUAL, '*')
  return username.length > 2 ? text.toLowerCase().replaceAll(username.toLowerCase(), '*') : text
}

export function judge(password: string, username = ''): Strength {
  if ([...password].length < LEAST_LENGTH) return 'too short'
  const rest = leaveOutUsual(password, username)
  const alphabet = KINDS.reduce((sum, [pattern, size]) => sum + (pattern.test(rest) ? size : 0), 0)
  const bits = countSurprises(rest) * Math.log2(alphabet)
  if (bits < FAIR_BITS) return 'weak'
  return bits < STRONG_BITS ? 'fair' : 'strong'
}
