/** Text of logs as it may be shown: no control character acts, all of them can be seen. */
import { stripAnsi } from './ansi'

// Controls but tab and newline, and what turns the direction of text round.
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/
const UNSEEN_ALL = new RegExp(UNSEEN, 'g')

/** Spelled out, as few fonts have pictures of them. */
function spell(character: string): string {
  return `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Every character can be seen, also those that a terminal would obey; lines are kept. */
export function showRaw(text: string): string {
  return UNSEEN.test(text) ? text.replaceAll('\r\n', '\n').replace(UNSEEN_ALL, spell) : text
}

/** As a terminal without colours would show it, lines kept; a text of nothing but escapes shows them. */
export function showText(text: string): string {
  return showRaw(stripAnsi(text) || text)
}

/** All on one line: the ends of lines are seen as ⏎. */
export function showLine(text: string): string {
  return showText(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')
}

/** The text cut to a number of characters, without half of a surrogate pair at its end. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  const isHalf = last >= 0xd800 && last < 0xdc00
  return `${text.slice(0, isHalf ? most - 1 : most)}…`
}
