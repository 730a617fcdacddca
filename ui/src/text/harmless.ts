/** Makes text of logs safe to show: control characters have no effect but are visible. */
import { stripAnsi } from './ansi'

// Control characters except tab and newline, and characters that change the direction of text.
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/
const UNSEEN_ALL = new RegExp(UNSEEN, 'g')

/** Spelled out, because few fonts have glyphs for them. */
function spell(character: string): string {
  return `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Makes every character visible, including terminal sequences; keeps lines. */
export function showRaw(text: string): string {
  return UNSEEN.test(text) ? text.replaceAll('\r\n', '\n').replace(UNSEEN_ALL, spell) : text
}

/** The text without terminal sequences, keeping lines; a text that has only such sequences shows them. */
export function showText(text: string): string {
  return showRaw(stripAnsi(text) || text)
}

/** The text on one line: line ends are shown as ⏎. */
export function showLine(text: string): string {
  return showText(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')
}

/** The text truncated to a number of characters, without half of a surrogate pair at its end. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  const isHalf = last >= 0xd800 && last < 0xdc00
  return `${text.slice(0, isHalf ? most - 1 : most)}…`
}
