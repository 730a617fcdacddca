/** Filters made of a field, an operator and a value, as entered in a form. */
import { quote, writeName, writeTest } from './filters'

export type Operator =
  | 'is'
  | 'is not'
  | 'contains'
  | 'does not contain'
  | 'matches'
  | '>='
  | '>'
  | '<='
  | '<'
  | 'exists'
  | 'does not exist'

export const OPERATORS: readonly Operator[] = [
  'is',
  'is not',
  'contains',
  'does not contain',
  'matches',
  '>=',
  '>',
  '<=',
  '<',
  'exists',
  'does not exist',
]

const QUANTITY = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?:ns|us|ms|[smhdw]|[kmgtp]?i?b|[kmgtp])?$/i

export function needsValue(operator: Operator): boolean {
  return operator !== 'exists' && operator !== 'does not exist'
}

/** `value` is the text as typed, without quotes. */
export function writeCondition(field: string, operator: Operator, value: string): string {
  const name = writeName(field)
  switch (operator) {
    case 'is':
      return writeTest(field, value)
    case 'is not':
      return writeTest(field, value, false)
    case 'contains':
      return `${name}:${writePart(value)}`
    case 'does not contain':
      return `NOT ${name}:${writePart(value)}`
    case 'matches':
      return `${name}=~${quote(value)}`
    case 'exists':
      return `${name}:*`
    case 'does not exist':
      return `NOT ${name}:*`
    default:
      return `${name}${operator}${QUANTITY.test(value) ? value : quote(value)}`
  }
}

/** Wildcards work only outside of quotes, so special characters are escaped. */
function writePart(text: string): string {
  return `*${text.replace(/[^\p{L}\p{N}_]/gu, '\\$&')}*`
}
