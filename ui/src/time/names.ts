/** The current names of time zones, also found by former names, which some browsers list instead. */
import { isZone, nameZone } from './zones'

export interface ZoneName {
  value: string
  label: string
  detail?: string
  alias?: string
}

const FORMER: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}
const FORMER_NAMES = new Map(Object.entries(FORMER).map(([former, current]) => [current, former]))

/** The current name of a zone, unless the browser is too old to know it. */
export function renewName(zone: string): string {
  const current = FORMER[zone]
  return current !== undefined && isZone(current) ? current : zone
}

/** All zones to choose from, each once. */
export function listZones(supported = Intl.supportedValuesOf('timeZone')): ZoneName[] {
  const names = [...new Set(supported.map(renewName))].filter((name) => name !== 'UTC').sort()
  return [
    { value: 'local', label: 'Local time', detail: renewName(nameZone('local')) },
    { value: 'UTC', label: 'UTC' },
    ...names.map((name) => describeZone(name)),
  ]
}

function describeZone(name: string): ZoneName {
  const alias = FORMER_NAMES.get(name)
  return { value: name, label: name, ...(alias === undefined ? {} : { alias }) }
}

/** The zone with this name, former name or city, ignoring case; null if there is none. */
export function findZone(text: string, zones: ZoneName[]): string | null {
  const wanted = text.trim().replaceAll(' ', '_').toLowerCase()
  const isNamed = (name: string) => name.toLowerCase() === wanted || name.toLowerCase().endsWith(`/${wanted}`)
  const found = zones.find(
    ({ value, label, alias = '' }) => label === text || (wanted && (isNamed(value) || isNamed(alias))),
  )
  return found?.value ?? (isZone(text) ? text : null)
}
