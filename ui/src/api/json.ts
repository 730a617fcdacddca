/** JSON whose integers keep all their digits: ids of 19 digits are common in logs, and a double has 15. */

export type Json = string | number | bigint | boolean | null | Json[] | { [name: string]: Json }

// Outside of quotes: hexadecimal ids in quotes often have that many digits in a row.
const LONG_INTEGER = /(?:^|[[:,\s])-?\d{16}/
const INTEGER = /^-?\d+$/

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown

export function parseJson(text: string): unknown {
  // A reviver is slow, and most answers contain no such number.
  return LONG_INTEGER.test(text)
    ? JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1])
    : JSON.parse(text)
}

const keepDigits: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value
}

/** The reverse of `parseJson`, on one line, or over several with `indent` blanks for each level. */
export function writeJson(value: Json, indent = 0, margin = ''): string {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const inner = margin + ' '.repeat(indent)
  const parts = Array.isArray(value)
    ? value.map((each) => writeJson(each, indent, inner))
    : Object.entries(value).map(
        ([name, each]) => `${JSON.stringify(name)}:${indent ? ' ' : ''}${writeJson(each, indent, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (!parts.length) return open + close
  return indent
    ? `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${margin}${close}`
    : open + parts.join(',') + close
}
