/** Converts positions in a text: the server counts code points, a browser UTF-16 units. */

/** The number of code points before a UTF-16 position. */
export function toCodePoints(text: string, unit: number): number {
  let count = 0
  for (let at = 0; at < Math.min(unit, text.length); count += 1) at += sizeAt(text, at)
  return count
}

/** The UTF-16 position of a code point; the end of the text if it is beyond. */
export function toUnits(text: string, codePoint: number): number {
  let at = 0
  for (let count = 0; count < codePoint && at < text.length; count += 1) at += sizeAt(text, at)
  return at
}

function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
