/** Where the pipes of a query begin: it is cut at every `|` that stands in no quotes, expression or parentheses. */

/** One step of reading a query in its canonical form, where an expression in slashes stands after a colon. */
const STEP = new RegExp(
  [
    '"(?:[^"\\\\]|\\\\.)*"',
    '`[^`]*`',
    ':/(?:[^/\\\\\\n]|\\\\.)*/i?(?=[\\s)|,}]|$)',
    '\\\\.',
    '[^"`:\\\\()|]+',
    '.',
  ].join('|'),
  'gsu',
)

/** The filter and each pipe of a query as the server writes it (not as people do), without the bars between them. */
export function splitPipes(canonical: string): [filter: string, ...pipes: string[]] {
  const parts: [string, ...string[]] = ['']
  let depth = 0
  for (const [step] of canonical.matchAll(STEP)) {
    if (step === '(') depth += 1
    if (step === ')') depth -= 1
    if (step === '|' && depth === 0) parts.push('')
    else parts[parts.length - 1] += step
  }
  return parts.map((part) => part.trim()) as typeof parts
}

export function joinPipes(parts: string[]): string {
  return parts.join(' | ')
}
