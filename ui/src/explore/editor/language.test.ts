import { StringStream } from '@codemirror/language'
import { expect, test } from 'vitest'
import { readPiece, startReader } from './language'

/** Every coloured piece as `kind:text`. */
function read(query: string): string[] {
  const reader = startReader()
  return query.split('\n').flatMap((line) => {
    const stream = new StringStream(line, 2, 2)
    const pieces: string[] = []
    while (!stream.eol()) {
      stream.start = stream.pos
      const piece = readPiece(stream, reader)
      expect(stream.pos).toBeGreaterThan(stream.start)
      if (piece) pieces.push(`${piece} ${stream.current()}`)
    }
    return pieces
  })
}

test.each([
  ['timeout', []],
  ['level:error', ['field level', 'operator :', 'value error']],
  ['status>=500', ['field status', 'operator >=', 'number 500']],
  ['took > 250ms', ['field took', 'operator >', 'number 250ms']],
  ['size:>1.5KiB', ['field size', 'operator :>', 'number 1.5KiB']],
  ['"user agent":curl', ['field "user agent"', 'operator :', 'value curl']],
  ['"a b" AND c', ['string "a b"', 'keyword AND']],
  ['path:/v[0-9]+/', ['field path', 'operator :', 'regexp /v[0-9]+/']],
  ['/time(d )?out/i', ['regexp /time(d )?out/i']],
  ['host=~"web-\\d+"', ['field host', 'operator =~', 'string "web-\\d+"']],
  ['host IN (a, "b")', ['field host', 'keyword IN', 'string "b"']],
  ['http://example.com std::mutex', []],
  ['# all\nerror', ['comment # all']],
  ["don't", []],
  ['| stats count by service', ['pipe |', 'pipe stats', 'field count', 'keyword by', 'field service']],
  ['x | stats avg(ms) as a', ['pipe |', 'pipe stats', 'function avg', 'field ms', 'keyword as', 'field a']],
  ['a "never closed', ['string "never closed']],
  ['level:', ['field level', 'operator :']],
])('reads %j', (query, pieces) => {
  expect(read(query)).toEqual(pieces)
})

test('comes to an end whatever is typed', () => {
  for (const text of ['\\', '😀"', '}{[](),', '::: ===', "'", '`', '| | |', '\u0000\u202e', '/', '-', '!~'])
    read(text)
})
