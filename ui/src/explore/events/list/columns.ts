/** The columns of the event list, their widths and their order. */

export interface Column {
  name: string
  label: string
  width: number
  /** Chosen by the user: may be moved and removed. */
  isChosen: boolean
  /** It shows the service of an event, from whichever field has it. */
  isService?: true
}

export const MIN_WIDTH = 48
export const MAX_WIDTH = 1600
/** The column for an event's message or summary: always present, always last, and as wide as possible. */
export const SUMMARY = 'message'

const LABELS: Record<string, string> = { _time: 'Time', level: 'Level', message: 'Message' }
const WIDTHS: Record<string, number> = { _time: 198, level: 66, message: 160 }
const COMMON_WIDTH = 150
const SERVICE_WIDTH = 110
const ALWAYS = new Set(['_time', 'level', SUMMARY])

/** Time, level and service come first, then the chosen columns, then the message. */
export function layOut(chosen: string[], widths: Record<string, number>, service: string | null): Column[] {
  const added = [...new Set(chosen)].filter((name) => !ALWAYS.has(name))
  const size = (name: string, usual: number) => clampWidth(widths[name] ?? usual)
  const fix = (name: string) => ({
    name,
    label: LABELS[name] ?? name,
    width: size(name, WIDTHS[name] ?? COMMON_WIDTH),
    isChosen: false,
  })
  const origin: Column[] =
    service === null || added.includes(service)
      ? []
      : [
          {
            name: service,
            label: service === 'service' ? 'Service' : service,
            width: size(service, SERVICE_WIDTH),
            isChosen: false,
            isService: true,
          },
        ]
  return [
    fix('_time'),
    fix('level'),
    ...origin,
    ...added.map((name) => ({ name, label: name, width: size(name, COMMON_WIDTH), isChosen: true })),
    fix(SUMMARY),
  ]
}

export function clampWidth(width: number): number {
  return Math.round(Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH)))
}

/** As a CSS grid template; the last column takes the remaining width. */
export function writeTemplate(columns: Column[]): string {
  return columns
    .map(({ width }, place) => (place === columns.length - 1 ? `minmax(${width}px, 1fr)` : `${width}px`))
    .join(' ')
}

export function addWidths(columns: Column[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0)
}

/** The names with one of them moved by a number of places, at most to an end. */
export function moveColumn(names: string[], name: string, step: number): string[] {
  const at = names.indexOf(name)
  if (at < 0) return names
  const rest = names.filter((each) => each !== name)
  const target = Math.max(0, Math.min(at + step, rest.length))
  return [...rest.slice(0, target), name, ...rest.slice(target)]
}

/** The names with one of them dropped onto the place of another. */
export function dropColumn(names: string[], name: string, onto: string): string[] {
  return moveColumn(names, name, names.indexOf(onto) - names.indexOf(name))
}
