/** Places in a text: the server counts code points, a browser UTF-16 units. */

/** How many code points stand before a unit. */
export function toCodePoints(text: string, unit: number): number {
  let count = 0
  for (let at = 0; at < Math.min(unit, text.length); count += 1) at += sizeAt(text, at)
  return count
}

/** At which unit a code point begins; the end of the text for any beyond. */
export function toUnits(text: string, codePoint: number): number {
  let at = 0
  for (let count = 0; count < codePoint && at < text.length; count += 1) at += sizeAt(text, at)
  return at
}

function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
