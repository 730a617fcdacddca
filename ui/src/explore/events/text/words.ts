/** The clickable words of a message: numbers, ids, addresses and paths are one word each. */

export interface Word {
  text: string
  start: number
  end: number
}

export interface Piece {
  text: string
  isWord: boolean
}

const STOPS = String.raw`\s"'<>()\[\]{},;|` + '`'
const LETTER = String.raw`\p{L}\p{M}\p{N}_`

const WORD = new RegExp(
  [
    // https://example.com/a?b=c
    String.raw`[A-Za-z][A-Za-z0-9+.-]*:\/\/[^${STOPS}]*[^${STOPS}.:!?]`,
    // C:\Users\ann
    String.raw`[A-Za-z]:\\[^${STOPS}]*[^${STOPS}.:!?]`,
    // /var/log/syslog, also behind a dot or a tilde
    String.raw`(?:\.{1,2}|~)?\/(?:[^${STOPS}]*[^${STOPS}.:!?])?`,
    // Addresses: 2001:db8::1, 00:1b:44:11:3a:b7
    String.raw`(?:[0-9A-Fa-f]{1,4}::?){2,}[0-9A-Fa-f]{1,4}(?![${LETTER}])`,
    // Any connected characters, including a colon before a number (10.0.0.1:5432, 12:30:45) or doubled (std::mutex).
    String.raw`[${LETTER}]+(?:(?:[-./\\@+~#]|::|:(?=\d)|['’](?=\p{L}))[${LETTER}]+)*`,
  ].join('|'),
  'gu',
)

export function listWords(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** The whole text, in order, as words and the text between them. */
export function splitWords(text: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const word of listWords(text)) {
    if (word.start > at) pieces.push({ text: text.slice(at, word.start), isWord: false })
    pieces.push({ text: word.text, isWord: true })
    at = word.end
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isWord: false })
  return pieces
}

/** The word at a position in the text. */
export function wordAt(text: string, place: number): Word | null {
  return listWords(text).find((word) => word.start <= place && place <= word.end) ?? null
}
