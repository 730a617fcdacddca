/** Filters beside the query, and how values become filters. */
import type { Json } from '../../api/json'
import { joinPipes, splitPipes } from '../query/pipes'

/** One pill: a filter in the query language, which may be switched off. */
export interface Filter {
  text: string
  isEnabled: boolean
  /** Whether it stays when another query takes the place of this one. */
  isPinned?: boolean
}

/** The filters of another query, behind those of the present one that are pinned. */
export function keepPinned(present: Filter[], wanted: Filter[]): Filter[] {
  const pinned = present.filter((each) => each.isPinned)
  return [...pinned, ...wanted.filter(({ text }) => !pinned.some((each) => each.text === text))]
}

/** A filter as the address has it: a sign in front, minus for one that is switched off, and `!` before that for a pinned one. */
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
/** Names that mean something else than a field unless they are quoted. */
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

/** The filter for events whose field is exactly this; of no value, for those without the field. */
export function writeTest(field: string, value: Json, isIncluded = true): string {
  const name = writeName(field)
  if (value === null) return isIncluded ? `NOT ${name}:*` : `${name}:*`
  if (Array.isArray(value)) return writeList(field, value, isIncluded)
  const test = `${name}:=${quote(typeof value === 'object' ? JSON.stringify(value) : String(value))}`
  return isIncluded ? test : `NOT ${test}`
}

/** A field with many values: those events that have all of them. */
function writeList(field: string, values: Json[], isIncluded: boolean): string {
  const [first = null] = values
  if (values.length < 2) return writeTest(field, first, isIncluded)
  const tests = values.map((each) => writeTest(field, each)).join(' AND ')
  return isIncluded ? tests : `NOT (${tests})`
}

/** The filter for events whose message holds this text. */
export function writeText(text: string, isIncluded = true): string {
  return isIncluded ? quote(text) : `NOT ${quote(text)}`
}

const COMMENTS = /^#.*$/gm
const STRING = /"(?:[^"\\]|\\.)*"/gs
/** With one of these outside of double quotes only the server can tell what parentheses belong together. */
const UNCLEAR = /["'`“”„‟‘’‚‛\\#{[]|(?<![\w.@$-])\//
/** A word, a text, or a test of a field: what NOT takes without parentheses. */
const SINGLE =
  /^(?!(?:and|or|not|in|to)$)(?:\w+|(?:[A-Za-z_@$][\w.@$/-]*|"(?:[^"\\]|\\.)*"):=?(?:\*|[\w.-]+|"(?:[^"\\]|\\.)*"|pattern\("(?:[^"\\]|\\.)*"\*?\))|"(?:[^"\\]|\\.)*")$/is
const ODD_BACKSLASHES = /(?<!\\)(?:\\\\)*\\$/

/** A filter in parentheses, also when it ends with a comment. */
function enclose(text: string): string {
  if (!text.replace(COMMENTS, '').trim()) return '(*)'
  const closed = ODD_BACKSLASHES.test(text) ? `${text}\\` : text
  return text.search(COMMENTS) < 0 ? `(${closed})` : `(\n${closed}\n)`
}

/** Whether parentheses close inside of a text that they surround. */
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

/** The opposite of a filter; that of an opposite is the filter again. */
export function invert(text: string): string {
  const term = /^NOT (.+)$/s.exec(text)?.[1]
  if (term !== undefined && SINGLE.test(term)) return term
  const inner = /^NOT \((?!#)(.+)\)$/s.exec(text)?.[1]
  if (inner !== undefined && isBalanced(inner)) return inner
  return SINGLE.test(text) ? `NOT ${text}` : `NOT ${enclose(text)}`
}

const PATTERN = /^(NOT )?("(?:[^"\\]|\\.)*"|[^\s":]+):pattern\(("(?:[^"\\]|\\.)*")(\*?)\)$/s

/** What a filter is called: a pattern reads better without what surrounds it. */
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

/** All filters that are on, as one. */
export function joinFilters(filters: Filter[]): string {
  return filters
    .filter((each) => each.isEnabled)
    .map((each) => enclose(each.text))
    .join(' AND ')
}

/** Which filter has the character at a place, in code points, of what `joinFilters` gives; -1 for none. */
export function locateFilter(filters: Filter[], position: number): number {
  let end = 0
  for (const [place, filter] of filters.entries()) {
    if (!filter.isEnabled) continue
    end += [...enclose(filter.text)].length + ' AND '.length
    if (position < end) return place
  }
  return -1
}

/** A query, in its canonical form, that asks for a filter as well. */
export function addToQuery(filter: string, canonical: string): string {
  const [asked, ...pipes] = splitPipes(canonical)
  const joined = asked && asked !== '*' ? `${enclose(filter)} AND ${enclose(asked)}` : filter
  return joinPipes([joined, ...pipes])
}
