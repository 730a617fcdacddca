/** Which part of a query a suggestion replaces: the server says what fits, but not where it begins. */
import type { Suggestion } from '../../api/search'

export interface Span {
  from: number
  to: number
}

const QUOTED = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|\x60[^\x60]*\x60)`
const RUN = String.raw`[^\s|()[\]{},"\x60]`
// A quoted name belongs to the test that it starts, a sign before a quote to neither.
const PIECE = new RegExp(
  [
    `${QUOTED}(?=[:=!])${RUN}+`,
    QUOTED,
    String.raw`(?<open>["'\x60].*$)`,
    String.raw`[-!](?=["'\x60])`,
    `(?!')${RUN}+`,
    String.raw`\s+|.`,
  ].join('|'),
  'gs',
)
const TEST = new RegExp(`^[-!]?(?:[A-Za-z_@$][A-Za-z0-9_.@$/-]*|${QUOTED})(?::=|==|!=|=~|!~|:|=)`, 's')
const COMPUTING = /\|\s*(?:eval|extend|math)\s[^|]*$/i
const REST_OF_NAME = /^[A-Za-z0-9_.@$/-]*/
const REST_OF_RUN = /^[^\s|()[\]{},"`]*/
const REST_OF_QUOTED = /^(?:[^"\\]|\\.)*"/s

/** The last piece before the cursor, without blanks and punctuation. */
function findPiece(before: string): { start: number; text: string; isOpen: boolean } {
  let last: RegExpExecArray | undefined
  for (const match of before.matchAll(PIECE)) last = match
  if (!last || /^[\s|()[\]{},]/.test(last[0])) return { start: before.length, text: '', isOpen: false }
  return { start: last.index, text: last[0], isOpen: last.groups?.['open'] !== undefined }
}

/** The span that a suggestion of some kind replaces at the cursor. */
export function findSpan(text: string, cursor: number, kind: Suggestion['kind']): Span {
  const before = text.slice(0, cursor)
  const after = text.slice(cursor)
  const piece = findPiece(before)
  if (piece.isOpen) return { from: piece.start, to: cursor + closeQuote(piece.text, after) }
  if (kind === 'value') {
    const test = TEST.exec(piece.text)?.[0] ?? ''
    return { from: piece.start + test.length, to: cursor + (REST_OF_RUN.exec(after)?.[0].length ?? 0) }
  }
  const from = piece.start + skipSigns(piece.text, before)
  return { from, to: cursor + (REST_OF_NAME.exec(after)?.[0].length ?? 0) }
}

/** Extends up to the quote after the cursor, if one is left over there. */
function closeQuote(opened: string, after: string): number {
  const isPaired = after.split('"').length % 2 === 1
  return opened.startsWith('"') && !isPaired ? (REST_OF_QUOTED.exec(after)?.[0].length ?? 0) : 0
}

/** Skips what precedes a name in the same run: signs, or the operators of an expression. */
function skipSigns(run: string, before: string): number {
  if (COMPUTING.test(before)) return /^.*[=+*/<>-]/s.exec(run)?.[0].length ?? 0
  return /^[-!+]*/.exec(run)?.[0].length ?? 0
}

/** Whether to show suggestions unasked if typing stops here. */
export function isInviting(before: string): boolean {
  return /[\w.@$"/-]$|[:=(,]\s*$|\|\s*$|\b(?:by|AND|OR|NOT|IN)\s+$/.test(before)
}
