/** Lists of texts as typed: one per line. */

export function readLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
