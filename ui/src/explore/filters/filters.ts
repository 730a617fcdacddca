/** The filters beside the query, and filters made from values. */
import type { Json } from '../../api/json'
import { joinPipes, splitPipes } from '../query/pipes'

/** One pill: a filter in the query language, which can be disabled. */
export interface Filter {
  text: string
  isEnabled: boolean
  /** Whether it stays if another query replaces this one. */
  isPinned?: boolean
}

/** The pinned filters of the present query, then those of another one. */
export function keepPinned(present: Filter[], wanted: Filter[]): Filter[] {
  const pinned = present.filter((each) => each.isPinned)
  return [...pinned, ...wanted.filter(({ text }) => !pinned.some((each) => each.text === text))]
}

/** A filter as written in the address: a leading sign, minus if it is disabled, preceded by `!` if it is pinned. */
export function writePill({ text, isEnabled, isPinned }: Filter): string {
  return `${isPinned ? '!' : ''}${isEnabled ? '+' : '-'}${text}`
}

export function readPill(written: string): Filter {
  const isPinned = written.startsWith('!')
  const signed = isPinned ? written.slice(1) : written
  const filter = { text: signed.slice(1), isEnabled: signed.startsWith('+') }
  return isPinned ? { ...filter, isPinned } : filter
}

const PLAIN_NAME = /^[A-Za-z_@$][A-Za-z0-9_.@$/-]*$/
/** Names that do not mean a field unless they are quoted. */
const RESERVED = new Set('and or not in to as by if index env earliest latest _time @timestamp'.split(' '))
const SPECIAL = /["\\\u0000-\u001f\u007f]/g
const ESCAPES: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text in double quotes, as the query language reads it. */
export function quote(text: string): string {
  const escape = (character: string) =>
    ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `"${text.replace(SPECIAL, escape)}"`
}

export function writeName(name: string): string {
  return PLAIN_NAME.test(name) && !RESERVED.has(name.toLowerCase()) ? name : quote(name)
}

/** The filter for events with exactly this value; for null, for events without the field. */
export function writeTest(field: string, value: Json, isIncluded = true): string {
  const name = writeName(field)
  if (value === null) return isIncluded ? `NOT ${name}:*` : `${name}:*`
  if (Array.isArray(value)) return writeList(field, value, isIncluded)
  const test = `${name}:=${quote(typeof value === 'object' ? JSON.stringify(value) : String(value))}`
  return isIncluded ? test : `NOT ${test}`
}

/** For a list of values: the events that have all of them. */
function writeList(field: string, values: Json[], isIncluded: boolean): string {
  const [first = null] = values
  if (values.length < 2) return writeTest(field, first, isIncluded)
  const tests = values.map((each) => writeTest(field, each)).join(' AND ')
  return isIncluded ? tests : `NOT (${tests})`
}

/** The filter for events whose message contains this text. */
export function writeText(text: string, isIncluded = true): string {
  return isIncluded ? quote(text) : `NOT ${quote(text)}`
}

const COMMENTS = /^#.*$/gm
const STRING = /"(?:[^"\\]|\\.)*"/gs
/** If one of these occurs outside of double quotes, only the server can match parentheses. */
const UNCLEAR = /["'`“”„‟‘’‚‛\\#{[]|(?<![\w.@$-])\//
/** A word, a text or the test of a field, which NOT can precede without parentheses. */
const SINGLE =
  /^(?!(?:and|or|not|in|to)$)(?:\w+|(?:[A-Za-z_@$][\w.@$/-]*|"(?:[^"\\]|\\.)*"):=?(?:\*|[\w.-]+|"(?:[^"\\]|\\.)*"|pattern\("(?:[^"\\]|\\.)*"\*?\))|"(?:[^"\\]|\\.)*")$/is
const ODD_BACKSLASHES = /(?<!\\)(?:\\\\)*\\$/

/** A filter in parentheses, even if it ends with a comment. */
function enclose(text: string): string {
  if (!text.replace(COMMENTS, '').trim()) return '(*)'
  const closed = ODD_BACKSLASHES.test(text) ? `${text}\\` : text
  return text.search(COMMENTS) < 0 ? `(${closed})` : `(\n${closed}\n)`
}

/** Whether the parentheses inside a text are balanced. */
function isBalanced(text: string): boolean {
  if (!/[()]/.test(text)) return true
  const bare = text.replace(STRING, '_')
  if (UNCLEAR.test(bare)) return false
  let depth = 0
  for (const character of bare) {
    depth += Number(character === '(') - Number(character === ')')
    if (depth < 0) return false
  }
  return depth === 0
}

/** The negation of a filter; negating twice gives the filter again. */
export function invert(text: string): string {
  const term = /^NOT (.+)$/s.exec(text)?.[1]
  if (term !== undefined && SINGLE.test(term)) return term
  const inner = /^NOT \((?!#)(.+)\)$/s.exec(text)?.[1]
  if (inner !== undefined && isBalanced(inner)) return inner
  return SINGLE.test(text) ? `NOT ${text}` : `NOT ${enclose(text)}`
}

const PATTERN = /^(NOT )?("(?:[^"\\]|\\.)*"|[^\s":]+):pattern\(("(?:[^"\\]|\\.)*")(\*?)\)$/s

/** The label of a filter: a pattern is shown without its surrounding syntax. */
export function nameFilter(text: string): string {
  const [, not, field = '', pattern, star] = PATTERN.exec(text) ?? []
  if (pattern === undefined) return text
  const of = field === 'message' ? '' : ` of ${field}`
  return `${not ? 'not ' : ''}pattern${of}: ${unquote(pattern)}${star ? '…' : ''}`
}

function unquote(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    return text
  }
}

/** All enabled filters, joined to one. */
export function joinFilters(filters: Filter[]): string {
  return filters
    .filter((each) => each.isEnabled)
    .map((each) => enclose(each.text))
    .join(' AND ')
}

/** The index of the filter at a position, in code points, of the result of `joinFilters`; -1 for none. */
export function locateFilter(filters: Filter[], position: number): number {
  let end = 0
  for (const [place, filter] of filters.entries()) {
    if (!filter.isEnabled) continue
    end += [...enclose(filter.text)].length + ' AND '.length
    if (position < end) return place
  }
  return -1
}

/** A canonical query with a filter added. */
export function addToQuery(filter: string, canonical: string): string {
  const [asked, ...pipes] = splitPipes(canonical)
  const joined = asked && asked !== '*' ? `${enclose(filter)} AND ${enclose(asked)}` : filter
  return joinPipes([joined, ...pipes])
}
