/** Finds the word under the pointer without an element per word, because thousands of elements would slow down scrolling. */
import { wordAt, type Word } from './words'

export interface Pointed {
  word: Word
  range: Range
}

function caretAt(x: number, y: number): { node: Node; offset: number } | null {
  if ('caretPositionFromPoint' in document) {
    const found = document.caretPositionFromPoint(x, y)
    return found && { node: found.offsetNode, offset: found.offset }
  }
  // For browsers before 2024.
  const older = document as unknown as { caretRangeFromPoint?: (x: number, y: number) => Range | null }
  const range = older.caretRangeFromPoint?.(x, y)
  return range ? { node: range.startContainer, offset: range.startOffset } : null
}

function* textNodes(element: Element): Generator<Text> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) yield walker.currentNode as Text
}

/** The range of characters of an element's text, which may be in several nodes. */
export function makeRange(element: Element, start: number, end: number): Range {
  const range = document.createRange()
  let before = 0
  for (const node of textNodes(element)) {
    const after = before + node.data.length
    if (start >= before && start <= after) range.setStart(node, start - before)
    if (end >= before && end <= after) {
      range.setEnd(node, end - before)
      break
    }
    before = after
  }
  return range
}

/** The word of an element's text at a point in the window, if there is one. */
export function pointAt(element: Element, x: number, y: number): Pointed | null {
  const caret = caretAt(x, y)
  if (!caret || !element.contains(caret.node) || caret.node.nodeType !== Node.TEXT_NODE) return null
  let place = caret.offset
  for (const node of textNodes(element)) {
    if (node === caret.node) break
    place += node.data.length
  }
  const word = wordAt(element.textContent ?? '', place)
  if (!word) return null
  const range = makeRange(element, word.start, word.end)
  // The caret position is in the nearest text, even if that is far away.
  const isInside = [...range.getClientRects()].some(
    ({ left, right, top, bottom }) => x >= left - 1 && x <= right + 1 && y >= top && y <= bottom,
  )
  return isInside ? { word, range } : null
}

const HOVERED = 'pointed-word'

/** Underline a range, or none; does nothing in browsers without support for it. */
export function showPointed(range: Range | null): void {
  if (!('highlights' in CSS)) return
  if (range) CSS.highlights.set(HOVERED, new Highlight(range))
  else CSS.highlights.delete(HOVERED)
}
