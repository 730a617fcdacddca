/** Which records of the audit trail to show: read from the address, and written as a query. */
import { writeTest } from '../../explore/filters/filters'
import type { Range } from '../../time/range'

export interface Wanted extends Range {
  who: string
  action: string
  outcome: string
}

/** The environment of the service's own log. */
export const ENV = '_system'
export const INDEX = '_self'
export const EVERYTHING = 'event:="audit"'
const DEFAULTS: Wanted = { who: '', action: '', outcome: '', from: '-7d', to: 'now' }
const NAMES = Object.keys(DEFAULTS) as (keyof Wanted)[]
const FIELDS: [keyof Wanted, string][] = [
  ['who', 'actor'],
  ['action', 'action'],
  ['outcome', 'outcome'],
]

export function readWanted(parameters: URLSearchParams): Wanted {
  const wanted = { ...DEFAULTS }
  for (const name of NAMES) wanted[name] = parameters.get(name) ?? DEFAULTS[name]
  return wanted
}

export function writeWanted(wanted: Wanted): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const name of NAMES) if (wanted[name] !== DEFAULTS[name]) parameters.set(name, wanted[name])
  return parameters
}

export function writeQuery(wanted: Wanted): string {
  const tests = FIELDS.filter(([name]) => wanted[name]).map(([name, field]) => writeTest(field, wanted[name]))
  return [EVERYTHING, ...tests].join(' ')
}
