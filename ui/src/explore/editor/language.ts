/** Syntax highlighting: enough grammar to distinguish fields, values, operators and pipes while typing. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StringStream } from '@codemirror/language'
import { tags, type Tag } from '@lezer/highlight'

/** The kinds of tokens, and the state of the reader. */
export type Piece =
  | 'comment'
  | 'field'
  | 'function'
  | 'keyword'
  | 'number'
  | 'operator'
  | 'pipe'
  | 'regexp'
  | 'string'
  | 'value'

export interface Reader {
  /** What may come next: the name of a pipe, the value of a test, or anything. */
  expects: 'pipe' | 'value' | 'any'
  /** Whether inside a pipe, where names are fields and not search words. */
  isInPipe: boolean
}

const KEYWORD = /^(?:AND|OR|NOT|IN|TO)(?=[\s()|"'`]|$)/
const PIPE_KEYWORD = /^(?:as|by|if|with|from|asc|desc|and|or|not|in|is|null|like)(?![\w.@$/:=-])/i
const NAME = /^[A-Za-z_@$][A-Za-z0-9_.@$/-]*/
const NAME_OF_TEST =
  /^[A-Za-z_@$][A-Za-z0-9_.@$/-]*(?=\s*(?::(?!:|\/\/)|[!=]?[=~]|[<>])|\s+(?:NOT\s+)?IN\s*\()/
const QUOTED_NAME = /^"(?:[^"\\]|\\.)*"(?=:(?!:|\/\/))/
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"?|`[^`]*`?)/
const SINGLE_QUOTED = /^'[^']*'?/
const OPERATOR = /^(?::=|:~(?=["'`])|:[<>]=?|:|==|!=|=~|!~|=|[<>]=?)/
const NUMBER =
  /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?:ns|us|ms|[smhdw]|[kmgtp]?i?b|[kmgtp]|%)?(?=[\s()[\]{}|,/*+-]|$)/i
const REGEXP = /^\/(?![\s/])(?:[^\\/\n|]|\\[^\n])+\/i?(?=[\s)|,}]|$)/
const RUN = /^(?:[^\s()|"`,[\]{}\\]|\\.)+/
const FUNCTION = /^[A-Za-z_]\w*(?=\s*\()/

export function startReader(): Reader {
  return { expects: 'any', isInPipe: false }
}

/** The next token; null if it has no colour. */
export function readPiece(stream: StringStream, reader: Reader): Piece | null {
  if (stream.sol() && stream.match('#')) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.eatSpace()) return null
  if (stream.match('|')) return beginPipe(reader)
  const { expects } = reader
  reader.expects = 'any'
  if (expects === 'pipe' && stream.match(NAME)) return 'pipe'
  return (
    readQuoted(stream, expects) ?? (expects === 'value' ? readValue(stream, reader) : readAny(stream, reader))
  )
}

function beginPipe(reader: Reader): Piece {
  reader.expects = 'pipe'
  reader.isInPipe = true
  return 'pipe'
}

function readQuoted(stream: StringStream, expects: Reader['expects']): Piece | null {
  if (expects === 'any' && stream.match(QUOTED_NAME)) return 'field'
  if (stream.match(QUOTED)) return 'string'
  return stream.match(SINGLE_QUOTED) ? 'string' : null
}

/** The value after the operator of a test. */
function readValue(stream: StringStream, reader: Reader): Piece | null {
  if (stream.match(REGEXP)) return 'regexp'
  if (stream.match(NUMBER)) return 'number'
  if (stream.match(OPERATOR)) {
    reader.expects = 'value'
    return 'operator'
  }
  return stream.match(RUN) ? 'value' : readMark(stream)
}

function readAny(stream: StringStream, reader: Reader): Piece | null {
  if (stream.match(KEYWORD) || (reader.isInPipe && stream.match(PIPE_KEYWORD))) return 'keyword'
  if (stream.match(NAME_OF_TEST)) return 'field'
  if (reader.isInPipe && stream.match(FUNCTION)) return 'function'
  if (stream.match(OPERATOR)) {
    reader.expects = 'value'
    return 'operator'
  }
  if (stream.match(REGEXP)) return 'regexp'
  if (stream.match(NUMBER)) return 'number'
  return readWord(stream, reader)
}

/** A search word has no colour; inside a pipe it is a field. */
function readWord(stream: StringStream, reader: Reader): Piece | null {
  if (reader.isInPipe && stream.match(NAME)) return 'field'
  return stream.match(RUN) ? null : readMark(stream)
}

function readMark(stream: StringStream): null {
  stream.next()
  return null
}

const TAGS: Record<Piece, Tag> = {
  comment: tags.comment,
  field: tags.propertyName,
  function: tags.function(tags.variableName),
  keyword: tags.keyword,
  number: tags.number,
  operator: tags.operator,
  pipe: tags.controlKeyword,
  regexp: tags.regexp,
  string: tags.string,
  value: tags.literal,
}

const COLOURS: Record<Piece, string> = {
  comment: '--syntax-comment',
  field: '--syntax-field',
  function: '--syntax-pipe',
  keyword: '--syntax-keyword',
  number: '--syntax-number',
  operator: '--ink-soft',
  pipe: '--syntax-pipe',
  regexp: '--syntax-number',
  string: '--syntax-value',
  value: '--syntax-value',
}

const BOLD: readonly Piece[] = ['keyword', 'pipe']

const style = HighlightStyle.define(
  (Object.keys(TAGS) as Piece[]).map((piece) => ({
    tag: TAGS[piece],
    color: `var(${COLOURS[piece]})`,
    fontWeight: BOLD.includes(piece) ? '600' : 'normal',
  })),
)

export const queryLanguage = [
  StreamLanguage.define<Reader>({
    name: 'query',
    startState: startReader,
    copyState: (reader) => ({ ...reader }),
    token: readPiece,
    tokenTable: TAGS,
  }),
  syntaxHighlighting(style),
]
