/** Patterns such as `took <num> ms`: their parts, and a filter for the texts that match them. */
import { STAND_INS } from '../events/text/text'
import { quote, writeName } from '../filters/filters'

/** The default field of patterns. */
export const MESSAGE = 'message'

export interface Part {
  text: string
  isVariable: boolean
}

const CLOCK = '[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?'
const ZONE = '(?:Z|[+-][0-9]{2}:?[0-9]{2})'
const ISO = `[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ](?:${CLOCK}|[0-9]{2}:[0-9]{2})${ZONE}?)?`
const APACHE = `[0-9]{1,2}/[A-Z][a-z]{2}/[0-9]{4}:${CLOCK}(?: [+-][0-9]{4})?`
const WEEKDAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*'
const SYSLOG = `${WEEKDAY}${MONTH} +[0-9]{1,2},? (?:[0-9]{4} )?${CLOCK}(?: [0-9]{4})?`
const MAIL = `${WEEKDAY}[0-9]{1,2} ${MONTH} [0-9]{4} ${CLOCK}(?: ${ZONE})?`
const TIME = `${ISO}|${APACHE}|${SYSLOG}|${MAIL}|${CLOCK}`
const HEX = '[0-9a-fA-F]'
const IPV4 = '[0-9]{1,3}(?:\\.[0-9]{1,3}){3}(?::[0-9]{1,5})?'
const IPV6 = `(?:${HEX}{1,4}:){7}${HEX}{1,4}|(?:${HEX}{1,4}:)+(?::${HEX}{1,4})+`
// Four short numbers in a row would be an IP address.
const FEW_NUMBERS = '[0-9]+(?:\\.[0-9]+){0,2}'
const MANY_NUMBERS =
  '(?:[0-9]{1,3}\\.){0,3}[0-9]{4,}(?:(?:\\.[0-9]{1,3}){0,3}\\.[0-9]{4,})*(?:\\.[0-9]{1,3}){0,3}'
// Eight digits and more are a number, unless one of them is a letter.
const HEX_WITH_LETTER = [0, 1, 2, 3, 4, 5, 6]
  .map((place) => `${HEX}{${place}}[a-fA-F]${HEX}{${7 - place},}`)
  .concat(`${HEX}{7,}[a-fA-F]${HEX}*`)
  .join('|')

/** The expression for each variable: the server's, without what an earlier variable would match. */
const VARIABLES: Record<string, string> = {
  '<str>': '"[^"]*"' + "|'[^']*'",
  '<time>': TIME,
  '<uuid>': `${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`,
  '<ip>': `${IPV4}|${IPV6}`,
  '<duration>': '(?:[0-9]+(?:\\.[0-9]+)?(?:ns|us|µs|ms|s|m|h|d))+',
  '<num>': `${FEW_NUMBERS}|${MANY_NUMBERS}`,
  '<hex>': `0[xX]${HEX}+|${HEX_WITH_LETTER}`,
}
/** Inside a word only runs of digits are variable. */
const DIGITS_IN_WORD = '[0-9]{2,}'
const VARIABLE = /(<(?:str|time|uuid|ip|duration|num|hex)>)/
/** The server drops the line ending of a field that stands in for the message. */
const LINE_END = '[\\r\\n]*'
const MAX_EXPRESSION_LENGTH = 4096
/** A longer filter would make the address unreadable. */
const MAX_FILTER_LENGTH = 200
/** An incomplete variable, or half of a character, at the end of a truncated text. */
const CUT_VARIABLE = /<[a-z]*$/
const CUT_PAIR = /[\ud800-\udbff]$/

export function splitPattern(pattern: string): Part[] {
  return pattern
    .split(VARIABLE)
    .map((text, place) => ({ text, isVariable: place % 2 === 1 }))
    .filter(({ text }) => text)
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const isWordEnd = (text: string | undefined) => /[A-Za-z0-9_]$/.test(text ?? '')
const isWordStart = (text: string | undefined) => /^[A-Za-z0-9_]/.test(text ?? '')

function writePart({ text, isVariable }: Part, place: number, parts: Part[]): string {
  if (!isVariable) return escape(text)
  const isInWord = isWordEnd(parts[place - 1]?.text) || isWordStart(parts[place + 1]?.text)
  const expression = text === '<num>' && isInWord ? DIGITS_IN_WORD : VARIABLES[text]
  // A text may contain the name of a variable literally.
  return `(?:${expression}|${text})`
}

/** The expression for the texts of a pattern, with a group for each variable, counted from 0; null if
 *  it is too long. */
export function writeExpression(
  pattern: string,
  field: string,
  name: (number: number) => string,
): string | null {
  let number = 0
  const written = splitPattern(pattern).map((part, place, parts) => {
    const text = writePart(part, place, parts)
    return part.isVariable ? `(?<${name(number++)}>${text})` : text
  })
  const expression = `^${written.join('')}${STAND_INS.includes(field) ? LINE_END : ''}$`
  return expression.length > MAX_EXPRESSION_LENGTH ? null : expression
}

/** The filter for the texts of a field that match this pattern; of a long pattern only the beginning is tested. */
export function makePatternFilter(pattern: string, field = MESSAGE): string {
  const name = writeName(field)
  if (!pattern) return `${name}:=""`
  if (pattern.length <= MAX_FILTER_LENGTH) return `${name}:pattern(${quote(pattern)})`
  const begin = pattern.slice(0, MAX_FILTER_LENGTH).replace(CUT_VARIABLE, '').replace(CUT_PAIR, '')
  return `${name}:pattern(${quote(begin)}*)`
}
