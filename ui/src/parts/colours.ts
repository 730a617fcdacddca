/** Reads colour tokens for drawing on a canvas. */

/** The value of a colour token in the current theme, as `rgb(…)`. */
export function readColour(token: string): string {
  return resolveColour(`var(${token})`)
}

/** The value of a CSS colour in the current theme. */
export function resolveColour(colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  document.body.append(probe)
  const resolved = getComputedStyle(probe).color
  probe.remove()
  return resolved
}

const LEVELS: [RegExp, string][] = [
  [/^(fatal|critical|crit|emerg|emergency|panic|alert)$/, '--level-fatal'],
  [/^(error|err|severe|failure)$/, '--level-error'],
  [/^(warn|warning)$/, '--level-warn'],
  [/^(info|information|informational|notice|log)$/, '--level-info'],
  [/^(debug|fine|verbose)$/, '--level-debug'],
  [/^(trace|finer|finest)$/, '--level-trace'],
]

/** The token for a level in any spelling, and `--level-none` for anything else. */
export function levelToken(level: unknown): string {
  const name = String(level ?? '')
    .trim()
    .toLowerCase()
  return LEVELS.find(([pattern]) => pattern.test(name))?.[1] ?? '--level-none'
}

const AREAS: Record<string, string> = { '--level-error': '--area-error', '--level-warn': '--area-warn' }

/** The token for a level in charts, given the one for its text. */
export function areaToken(token: string): string {
  return AREAS[token] ?? token
}

export const SERIES_COUNT = 10

export function seriesToken(place: number): string {
  return `--series-${(place % SERIES_COUNT) + 1}`
}

/** The dash pattern of a series, which distinguishes series of the same colour. */
export function seriesDash(place: number): number[] {
  const round = Math.floor(place / SERIES_COUNT)
  return round ? [6, 2 + 2 * round] : []
}

/** Calls back when the theme changes; returns a function that stops this. */
export function watchTheme(changed: () => void): () => void {
  const media = matchMedia('(prefers-color-scheme: dark)')
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  media.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    media.removeEventListener('change', changed)
  }
}
