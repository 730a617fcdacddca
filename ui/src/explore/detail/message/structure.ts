/** Finds structured data in a message: JSON, or pairs of names and values. */
import { parseJson, type Json } from '../../../api/json'

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'json'; value: Json }
  | { kind: 'pairs'; pairs: [name: string, value: string][] }

const MAX_LENGTH = 200_000
/** The maximum number of braces to try: each one in a long text could begin an object. */
const MAX_TRIES = 20
const MIN_PAIRS = 3
const PAIR = /(?<![^\s,])([A-Za-z_@][\w.@/-]*)=("(?:[^"\\]|\\.)*"|[^\s",]*)(?=[\s,]|$),?/g

const MARKS = /"(?:[^"\\]|\\.)*"|[{[]|[}\]]/gs

/** The position where the bracket that opens here is closed, ignoring brackets in strings; -1 if it is not. */
function findEnd(text: string, start: number): number {
  const marks = new RegExp(MARKS)
  marks.lastIndex = start
  let depth = 0
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    if (/^[{[]/.test(match[0])) depth += 1
    if (/^[}\]]/.test(match[0])) depth -= 1
    if (depth === 0) return marks.lastIndex
  }
  return -1
}

/** An object, or a list of values: brackets around a word or a time are not JSON. */
function parseStructure(text: string): Json | undefined {
  try {
    const value = parseJson(text) as Json
    if (value === null || typeof value !== 'object') return undefined
    const hasMembers = Object.keys(value).length > 0
    return hasMembers && (!Array.isArray(value) || value.some((each) => typeof each === 'object'))
      ? value
      : undefined
  } catch {
    return undefined
  }
}

function findJson(text: string): { start: number; end: number; value: Json } | null {
  const places = /[{[]/g
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const start = places.exec(text)?.index
    if (start === undefined) return null
    const end = findEnd(text, start)
    const value = end < 0 ? undefined : parseStructure(text.slice(start, end))
    if (value !== undefined) return { start, end, value }
  }
  return null
}

function unquote(value: string): string {
  if (!value.startsWith('"')) return value
  try {
    return JSON.parse(value) as string
  } catch {
    return value.slice(1, -1)
  }
}

function findPairs(text: string): Part[] | null {
  const matches = [...text.matchAll(PAIR)]
  const [first] = matches
  if (!first || matches.length < MIN_PAIRS) return null
  const rest = text.replace(PAIR, '').trim()
  // Only words followed by pairs; a sentence that contains pairs is easier to read unchanged.
  if (rest && rest !== text.slice(0, first.index).trim()) return null
  const pairs = matches.map(([, name = '', value = '']) => [name, unquote(value)] as [string, string])
  return [...(rest ? [{ kind: 'text' as const, text: rest }] : []), { kind: 'pairs', pairs }]
}

/** The parts in order; null if the text has only words. */
export function readStructure(text: string): Part[] | null {
  if (text.length > MAX_LENGTH) return null
  const json = findJson(text)
  if (!json) return findPairs(text)
  const before = text.slice(0, json.start).trim()
  const after = text.slice(json.end).trim()
  return [
    ...(before ? [{ kind: 'text' as const, text: before }] : []),
    { kind: 'json' as const, value: json.value },
    ...(after ? (readStructure(after) ?? [{ kind: 'text' as const, text: after }]) : []),
  ]
}

export interface Token {
  text: string
  kind: 'name' | 'text' | 'number' | 'word' | 'sign'
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|[^"\dtfn-]+|./gs

/** Formatted JSON, split into pieces for colouring. */
export function splitJson(written: string): Token[] {
  return [...written.matchAll(TOKEN)].flatMap(([all, text, colon, number, word]): Token[] => {
    if (text !== undefined) {
      const kind = colon === undefined ? 'text' : 'name'
      return [{ text, kind }, ...(colon ? [{ text: colon, kind: 'sign' as const }] : [])]
    }
    return [{ text: all, kind: number !== undefined ? 'number' : word !== undefined ? 'word' : 'sign' }]
  })
}
