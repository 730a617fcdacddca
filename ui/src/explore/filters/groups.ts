/** How a query groups events, according to its syntax tree, so that rows can lead back to their events. */
import type { Parsed } from '../../api/search'
import { joinPipes, splitPipes } from '../query/pipes'

export interface Key {
  field: string
  /** `5m` or `10KB`: the row has the start of a span of this length. */
  bucket: string | null
  /** The row has a network with a prefix of this length. */
  prefixBits: number | null
}

/** The aggregate that is shown in one column per value, by `timechart … by`. */
export interface Spread {
  field: string
  aggregates: string[]
}

export interface Groups {
  /** The query that finds the events, up to the pipe that groups them. */
  query: string
  /** Earlier pipes may have made the fields, so tests of these must come after them. */
  hasPipes: boolean
  keys: Key[]
  spread: Spread | null
  /** The column `pattern` has patterns of this field. */
  patternField: string | null
}

interface Pipe {
  type: string
  [member: string]: unknown
}

interface DumpedKey {
  field: string
  bucket: string | null
  prefix_bits: number | null
}

type Grouping = Pick<Groups, 'keys' | 'spread' | 'patternField'>

const readKey = (key: DumpedKey): Key => ({
  field: key.field,
  bucket: key.bucket,
  prefixBits: key.prefix_bits,
})
const makeKey = (field: string): Key => ({ field, bucket: null, prefixBits: null })
const names = (pipe: Pipe, ...members: string[]) => members.flatMap((member) => pipe[member] as string[])
const ofFields =
  (...members: string[]) =>
  (pipe: Pipe): Grouping => ({ keys: names(pipe, ...members).map(makeKey), spread: null, patternField: null })

/** How each pipe groups; all other pipes keep their rows, or have rows that do not come from events. */
const GROUPINGS: Record<string, (pipe: Pipe) => Grouping> = {
  Stats: (pipe) => ({
    keys: (pipe['keys'] as DumpedKey[]).map(readKey),
    spread: null,
    patternField: null,
  }),
  Timechart: readTimechart,
  Top: ofFields('by', 'fields'),
  Rare: ofFields('by', 'fields'),
  Uniq: ofFields('fields'),
  Transaction: ofFields('fields'),
  Diff: ofFields('by'),
  Patterns: (pipe) => ({ ...ofFields('by')(pipe), patternField: pipe['field'] as string }),
}

function readTimechart(pipe: Pipe): Grouping {
  const by = pipe['by'] as DumpedKey | null
  const aggregates = (pipe['aggregates'] as { name: string }[]).map(({ name }) => name)
  return {
    // Without a span the server chose one, which only the rows show.
    keys: [{ field: '_time', bucket: (pipe['span'] as string | null) ?? '', prefixBits: null }],
    spread: by && by.bucket === null && by.prefix_bits === null ? { field: by.field, aggregates } : null,
    patternField: null,
  }
}

/** Null if the query does not group. */
export function findGroups(parsed: Parsed): Groups | null {
  const pipes = (parsed.ast as unknown as { pipes: Pipe[] }).pipes
  const place = pipes.findIndex(({ type }) => Object.hasOwn(GROUPINGS, type))
  const first = pipes[place]
  const grouping = first && GROUPINGS[first.type]?.(first)
  if (!grouping) return null
  const later = pipes.slice(place + 1).flatMap((pipe) => GROUPINGS[pipe.type]?.(pipe) ?? [])
  // If a later pipe groups again, keys used by both still identify the events.
  const isKept = ({ field }: Key) => later.every(({ keys }) => keys.some((key) => key.field === field))
  const parts = splitPipes(parsed.query)
  return {
    query: joinPipes(parts.slice(0, place + 1)),
    hasPipes: place > 0,
    keys: grouping.keys.filter(isKept),
    spread: later.length ? null : grouping.spread,
    patternField: later.length ? null : grouping.patternField,
  }
}
