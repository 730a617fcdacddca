/** The literal words that a query searches for in messages, to mark them. */

export interface Part {
  text: string
  isMark: boolean
}

// A field name with its operator: such a test does not search the message.
const TESTS = /^(?:[A-Za-z_@$][\w.@$/-]*|\*|"(?:[^"\\]|\\.)*")(?::|[!=<>]=?|=~|!~)/
const OF_MESSAGE = /^message:(?![=~<>([{])(.+)$/is
const TOKEN = /\s+|\(|\)|\||,|(?:"(?:[^"\\]|\\.)*"|[^\s()|,"])+|"/gs
/** Tokens between terms. */
const BETWEEN = new Set(['AND', 'OR', '(', ')', ','])
const MOST_TERMS = 50

function unquote(text: string): string | null {
  if (!text.startsWith('"')) {
    const inner = text.replace(/^\*+|\*+$/g, '')
    return inner.includes('*') ? null : inner
  }
  try {
    return JSON.parse(text) as string
  } catch {
    return null
  }
}

/** The position where the group that opens here is closed. */
function closing(tokens: string[], open: number): number {
  let depth = 0
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at] === '(') depth += 1
    else if (tokens[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return tokens.length
}

/** The position where the list of values of a test would begin. */
function listOf(tokens: string[], at: number): number {
  if (tokens[at + 1] === 'IN') return at + 2
  if (tokens[at + 1] === 'NOT' && tokens[at + 2] === 'IN') return at + 3
  return /[:~]$/.test(tokens[at] ?? '') ? at + 1 : tokens.length
}

/** The position after the term that begins here: a group, a test with its list, or a word. */
function behindTerm(tokens: string[], at: number): number {
  if (tokens[at] === 'NOT') return behindTerm(tokens, at + 1)
  if (tokens[at] === '(') return closing(tokens, at) + 1
  const list = listOf(tokens, at)
  return tokens[list] === '(' ? closing(tokens, list) + 1 : at + 1
}

/** The term as a literal text of the message; null if it is not one. */
function literal(token: string): string | null {
  const inMessage = OF_MESSAGE.exec(token)?.[1]
  if (inMessage !== undefined) return unquote(inMessage)
  return TESTS.test(token) || token === '*' ? null : unquote(token)
}

/** The words and phrases of a canonical query's filter that are not negated. */
export function listTerms(query: string): string[] {
  const tokens = (query.match(TOKEN) ?? []).filter((token) => token.trim())
  const pipe = tokens.indexOf('|')
  const filter = pipe < 0 ? tokens : tokens.slice(0, pipe)
  const terms = new Set<string>()
  let at = 0
  while (at < filter.length && terms.size < MOST_TERMS) {
    const token = filter[at] ?? ''
    const behind = BETWEEN.has(token) ? at + 1 : behindTerm(filter, at)
    const found = BETWEEN.has(token) || behind > at + 1 ? null : literal(token)
    if (found) terms.add(found)
    at = behind
  }
  return [...terms]
}

/** One expression that finds all of them, ignoring case; null if there are none. */
export function writePattern(terms: string[]): RegExp | null {
  if (!terms.length) return null
  const longestFirst = [...terms].sort((one, other) => other.length - one.length)
  const escaped = longestFirst.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(escaped.join('|'), 'giu')
}

export function markTerms(text: string, pattern: RegExp | null): Part[] {
  if (!pattern) return [{ text, isMark: false }]
  const parts: Part[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) parts.push({ text: text.slice(at, match.index), isMark: false })
    if (match[0]) parts.push({ text: match[0], isMark: true })
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMark: false })
  return parts
}
