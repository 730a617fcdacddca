/** Local times of zones. Moments are milliseconds since 1970, as everywhere in a browser. */

const DAY_MS = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

/** The name of the zone that `local` stands for. */
export function nameZone(zone: string): string {
  return zone === 'local' ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: nameZone(zone) })
    return true
  } catch {
    return false
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-u-hc-h23', {
      timeZone: nameZone(zone),
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}

/** The local time of a zone at a moment, as if it were UTC. */
export function toClock(moment: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(moment)
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const milliseconds = ((moment % 1000) + 1000) % 1000
  return (
    Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second')) +
    milliseconds
  )
}

/** The offset of a zone from UTC at a moment, in milliseconds. */
export function findOffset(moment: number, zone: string): number {
  return toClock(moment, zone) - moment
}

/** The first moment with this local time; if clocks skip it, the moment at which they do. */
export function fromClock(clock: number, zone: string): number {
  const offsets = [findOffset(clock - DAY_MS, zone), findOffset(clock + DAY_MS, zone)] as const
  const earlier = clock - Math.max(...offsets)
  const later = clock - Math.min(...offsets)
  if (toClock(earlier, zone) === clock) return earlier
  if (toClock(later, zone) === clock) return later
  return findChange(earlier, later, zone)
}

/** The first moment with the offset of `end`, which differs from that of `start`. */
function findChange(start: number, end: number, zone: string): number {
  const offset = findOffset(end, zone)
  let before = start
  let after = end
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (findOffset(middle, zone) === offset) after = middle
    else before = middle
  }
  return after
}
