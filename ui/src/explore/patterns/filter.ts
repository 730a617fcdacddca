/** Patterns of texts, such as `took <num> ms`: their parts, and a filter for the texts that they stand for. */
import { STAND_INS } from '../events/text/text'
import { quote, writeName } from '../filters/filters'

/** The field that patterns are of unless they say otherwise. */
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
// Four short numbers in a row would be an address.
const FEW_NUMBERS = '[0-9]+(?:\\.[0-9]+){0,2}'
const MANY_NUMBERS =
  '(?:[0-9]{1,3}\\.){0,3}[0-9]{4,}(?:(?:\\.[0-9]{1,3}){0,3}\\.[0-9]{4,})*(?:\\.[0-9]{1,3}){0,3}'
// Eight digits and more are a number, unless one of them is a letter.
const HEX_WITH_LETTER = [0, 1, 2, 3, 4, 5, 6]
  .map((place) => `${HEX}{${place}}[a-fA-F]${HEX}{${7 - place},}`)
  .concat(`${HEX}{7,}[a-fA-F]${HEX}*`)
  .join('|')

/** What each variable stands for: the server's expressions, less what an earlier one of them would take. */
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
/** The server leaves out the end of a line that stands in for a message. */
const LINE_END = '[\\r\\n]*'
const MAX_EXPRESSION_LENGTH = 4096
/** Longer ones would make an unreadable address. */
const MAX_FILTER_LENGTH = 200
/** The begin of a variable, or half of a character, at the end of what was cut off. */
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
  // A text may hold the name of a variable itself.
  return `(?:${expression}|${text})`
}

/** The expression for the texts of a pattern, in which variables have groups, the first of them that of the number 0; null where
 *  it would be too long. */
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

/** The filter for the texts of a field that have this pattern; a long one is told by how it begins. */
export function makePatternFilter(pattern: string, field = MESSAGE): string {
  const name = writeName(field)
  if (!pattern) return `${name}:=""`
  if (pattern.length <= MAX_FILTER_LENGTH) return `${name}:pattern(${quote(pattern)})`
  const begin = pattern.slice(0, MAX_FILTER_LENGTH).replace(CUT_VARIABLE, '').replace(CUT_PAIR, '')
  return `${name}:pattern(${quote(begin)}*)`
}
