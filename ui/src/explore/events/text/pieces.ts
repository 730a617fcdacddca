/** A text in pieces for rendering: split at marks, at the keyboard's word, and where its colours change. */
import type { Json } from '../../../api/json'
import { showLine, showText } from '../../../text/harmless'
import { readRuns } from '../../../text/colours'
import { cut } from '../../../text/harmless'
import { markTerms } from './terms'
import { showValue, MAX_LINE, MAX_WRAPPED } from '../targets'
import { writeValue } from './values'
import type { Word } from './words'

export interface Look {
  start: number
  end: number
  /** CSS class names. */
  look: string
}

export interface Coloured {
  text: string
  looks: Look[]
}

export interface Piece {
  text: string
  isMark: boolean
  isAt: boolean
  look: string
}

const ESCAPES = /[\x1b\x9b]/

/** A value as shown in the list, with its ANSI colours. */
export function showColoured(value: Json | undefined, isWrapped: boolean): Coloured {
  const text = showValue(value, isWrapped)
  const written = writeValue(value)
  if (!ESCAPES.test(written.slice(0, MAX_WRAPPED))) return { text, looks: [] }
  const found = colour(cut(written, isWrapped ? MAX_WRAPPED : MAX_LINE), isWrapped ? showText : showLine)
  return found.text === text ? found : { text, looks: [] }
}

/** A text with its colours, each piece sanitised by `show`. */
export function colour(written: string, show: (text: string) => string): Coloured {
  const looks: Look[] = []
  let text = ''
  for (const run of readRuns(written)) {
    const start = text.length
    text += show(run.text)
    if (run.look) looks.push({ start, end: text.length, look: run.look })
  }
  return text ? { text, looks } : { text: show(written), looks: [] }
}

/** The whole text in order. */
export function splitPieces(
  { text, looks }: Coloured,
  pattern: RegExp | null,
  at: Word | undefined,
): Piece[] {
  const marked = [
    ...markTerms(at ? text.slice(0, at.start) : text, pattern).map((part) => ({ ...part, isAt: false })),
    ...(at ? [{ text: text.slice(at.start, at.end), isMark: false, isAt: true }] : []),
    ...(at ? markTerms(text.slice(at.end), pattern).map((part) => ({ ...part, isAt: false })) : []),
  ]
  if (!looks.length) return marked.map((part) => ({ ...part, look: '' }))
  let start = 0
  return marked.flatMap((part) => {
    const pieces = paint(part.text, start, looks).map((piece) => ({ ...part, ...piece }))
    start += part.text.length
    return pieces
  })
}

/** A part that begins at `start` of the text, split where its style changes. */
function paint(text: string, start: number, looks: Look[]): { text: string; look: string }[] {
  const end = start + text.length
  const pieces: { text: string; look: string }[] = []
  let at = start
  const take = (until: number, look: string) => {
    if (until > at) pieces.push({ text: text.slice(at - start, until - start), look })
    at = Math.max(at, until)
  }
  for (const each of looks) {
    if (each.end <= start || each.start >= end) continue
    take(Math.max(start, each.start), '')
    take(Math.min(end, each.end), each.look)
  }
  take(end, '')
  return pieces
}
