/** Splits a query into its pipes: at every `|` outside of quotes, regular expressions and parentheses. */

/** One token of a query in canonical form, in which a regular expression in slashes follows a colon. */
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

/** The filter and the pipes of a query in canonical form, without the bars between them. */
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
