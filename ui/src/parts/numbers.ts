/** Formats numbers, sizes, durations and times. */

const COUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

export function formatCount(count: number): string {
  return COUNT.format(count)
}

export function formatShort(count: number): string {
  return SHORT.format(count)
}

export function formatBytes(bytes: number): string {
  let place = 0
  let size = bytes
  while (size >= 1000 && place < BYTE_UNITS.length - 1) {
    size /= 1000
    place += 1
  }
  return `${place && size < 100 ? size.toFixed(1) : Math.round(size)} ${BYTE_UNITS[place]}`
}

export function formatShare(part: number, whole: number): string {
  if (!whole) return '0 %'
  const percent = (100 * part) / whole
  if (percent > 0 && percent < 0.1) return '<0.1 %'
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`
}

export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  return `${(milliseconds / 1000).toFixed(1)} s`
}

export function formatDuration(seconds: number): string {
  const units: [number, string][] = [
    [86400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ]
  for (const [size, unit] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`
  return `${Math.round(seconds)} s`
}

/** `3 min ago`; empty for null. */
export function formatAge(time: string | null, now = Date.now()): string {
  if (!time) return 'never'
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000)
  return seconds < 2 ? 'just now' : `${formatDuration(seconds)} ago`
}
