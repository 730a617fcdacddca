/** Filters as people read them: a field, how it is compared, and a value without quotes. */

export interface Reading {
  field: string
  relation: string
  /** Empty where there is nothing to compare with. */
  value: string
}

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"'
const TEST = new RegExp(
  `^(NOT )?([A-Za-z_@$][A-Za-z0-9_.@$/-]*|${QUOTED})(:=|:|=~|>=|<=|>|<)(\\*|${QUOTED}|[-+]?[\\d.]+[A-Za-z]*)$`,
  's',
)
/** What a test is called, and what its opposite is; without an opposite it is only read as it stands. */
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
    // What is no escape of JSON is for the query language to read.
    return null
  }
}

function nameRelation(operator: string, value: string, isInverse: boolean): string | undefined {
  if (operator === ':') return value !== '*' ? undefined : isInverse ? 'is missing' : 'exists'
  if (value === '*') return undefined
  return RELATIONS[operator]?.[Number(isInverse)]
}

/** Null for what is clearer in the query language. */
export function readFilter(text: string): Reading | null {
  const [, not, name = '', operator = '', written = ''] = TEST.exec(text) ?? []
  const relation = nameRelation(operator, written, not !== undefined)
  const [field, value] = [unquote(name), unquote(written)]
  if (relation === undefined || field === null || value === null) return null
  if (operator === ':') return { field, relation, value: '' }
  return { field, relation, value: value || '(empty)' }
}
