/** The events of a trace as nested spans, the oldest first. */
import type { Json } from '../../../api/json'
import type { EventRow, Row } from '../../../api/search'

export interface Span {
  row: EventRow
  /** In milliseconds since the trace began. */
  start: number
  end: number
  depth: number
  /** It has no duration. */
  isMoment: boolean
}

export interface Trace {
  spans: Span[]
  /** In milliseconds. */
  length: number
}

interface Node {
  row: EventRow
  start: number
  end: number
  isMoment: boolean
  id: string
  parent: string
}

const SPAN_ID = /^(?:.*[._-])?span[._-]?id$/i
const PARENT_ID = /^(?:.*[._-])?parent[._-]?(?:span[._-]?)?id$/i
const DURATION =
  /^(?:.*[._-])?(?:duration|elapsed|latency|took|response[._-]?time)(?:[._-]?(ns|nanos|us|micros|ms|millis|s|secs?|seconds))?$/i
const UNITS_MS: Record<string, number> = { n: 1e-6, u: 1e-3, m: 1, s: 1e3 }

function findName(row: Row, pattern: RegExp, unless?: RegExp): string | undefined {
  return Object.keys(row).find((name) => pattern.test(name) && !unless?.test(name))
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Longer names first: `micros` and `millis` start alike. */
function unitOf(written: string): number {
  const unit = written.toLowerCase()
  return UNITS_MS[unit.startsWith('micro') ? 'u' : unit.charAt(0)] ?? 1
}

/** The duration in milliseconds, also the unit of numbers without one; null if there is none. */
export function readDuration(row: Row): number | null {
  for (const [name, value] of Object.entries(row)) {
    const match = DURATION.exec(name)
    const number = typeof value === 'bigint' ? Number(value) : value
    if (match && typeof number === 'number' && number >= 0) return number * unitOf(match[1] ?? 'ms')
  }
  return null
}

/** With the digits after the milliseconds, which `Date` drops. */
export function readMoment(time: string): number {
  const digits = /\.\d{3}(\d{1,6})/.exec(time)?.[1]
  return Date.parse(time) + (digits ? Number(`0.${digits}`) : 0)
}

/** An event with a duration is logged at its end. */
function makeNode(row: EventRow): Node {
  const end = readMoment(row._time)
  const duration = readDuration(row)
  const parentName = findName(row, PARENT_ID)
  const idName = findName(row, SPAN_ID, PARENT_ID)
  return {
    row,
    start: end - (duration ?? 0),
    end,
    isMoment: duration === null,
    id: idName === undefined ? '' : textOf(row[idName]),
    parent: parentName === undefined ? '' : textOf(row[parentName]),
  }
}

/** The longest event of a span represents it; the others are inside it. */
function chooseHeads(nodes: Node[]): Map<string, Node> {
  const heads = new Map<string, Node>()
  for (const node of nodes) {
    const head = heads.get(node.id)
    const isLonger = !head || node.end - node.start > head.end - head.start
    if (node.id && isLonger) heads.set(node.id, node)
  }
  return heads
}

function parentOf(node: Node, heads: Map<string, Node>): Node | undefined {
  const head = heads.get(node.id)
  const parent = head && head !== node ? head : heads.get(node.parent)
  return parent === node ? undefined : parent
}

export function layOutTrace(rows: EventRow[]): Trace {
  const nodes = rows.map(makeNode).sort((one, other) => one.start - other.start || one.end - other.end)
  const heads = chooseHeads(nodes)
  const children = new Map<Node | undefined, Node[]>()
  for (const node of nodes) {
    const parent = parentOf(node, heads)
    children.set(parent, [...(children.get(parent) ?? []), node])
  }
  const begin = Math.min(...nodes.map((node) => node.start))
  const spans: Span[] = []
  const seen = new Set<Node>()
  const visit = (node: Node, depth: number) => {
    if (seen.has(node)) return
    seen.add(node)
    const { row, start, end, isMoment } = node
    spans.push({ row, start: start - begin, end: end - begin, depth, isMoment })
    for (const child of children.get(node) ?? []) visit(child, depth + 1)
  }
  for (const root of children.get(undefined) ?? []) visit(root, 0)
  // Spans that are each other's parents are not below any root.
  for (const node of nodes) visit(node, 0)
  return { spans, length: spans.reduce((most, span) => Math.max(most, span.end), 0) }
}
