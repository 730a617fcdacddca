/** Filters in readable form: a field, an operator in words, and a value without quotes. */

export interface Reading {
  field: string
  relation: string
  /** Empty if nothing is compared. */
  value: string
}

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"'
const TEST = new RegExp(
  `^(NOT )?([A-Za-z_@$][A-Za-z0-9_.@$/-]*|${QUOTED})(:=|:|=~|>=|<=|>|<)(\\*|${QUOTED}|[-+]?[\\d.]+[A-Za-z]*)$`,
  's',
)
/** The words for a test and for its negation; without the latter a negated test is not shown in words. */
const RELATIONS: Record<string, [string, string?]> = {
  ':=': ['=', '≠'],
  '=~': ['matches', 'does not match'],
  '>=': ['≥'],
  '<=': ['≤'],
  '>': ['>'],
  '<': ['<'],
}

function unquote(text: string): string | null {
  if (!text.startsWith('"')) return text
  try {
    return JSON.parse(text) as string
  } catch {
    // An escape that is not valid in JSON is left to the query language.
    return null
  }
}

function nameRelation(operator: string, value: string, isInverse: boolean): string | undefined {
  if (operator === ':') return value !== '*' ? undefined : isInverse ? 'is missing' : 'exists'
  if (value === '*') return undefined
  return RELATIONS[operator]?.[Number(isInverse)]
}

/** Null if it is clearer in the query language. */
export function readFilter(text: string): Reading | null {
  const [, not, name = '', operator = '', written = ''] = TEST.exec(text) ?? []
  const relation = nameRelation(operator, written, not !== undefined)
  const [field, value] = [unquote(name), unquote(written)]
  if (relation === undefined || field === null || value === null) return null
  if (operator === ':') return { field, relation, value: '' }
  return { field, relation, value: value || '(empty)' }
}
