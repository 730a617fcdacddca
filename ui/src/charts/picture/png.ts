/** A chart as a PNG: on the page's background, with its title above and its legend below. */
import { readColour } from '../../parts/colours'

interface Entry {
  label: string
  token: string
}

const TITLE_PX = 28
const LINE_PX = 20
const MARGIN_PX = 12
const SWATCH_PX = 10

const PIE_PX = 320

/** Draws the slices of a pie; each has an outline around 0,0 of radius 1. */
export function drawPie(slices: { outline: string; token: string }[]): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = PIE_PX * devicePixelRatio
  const ctx = canvas.getContext('2d')
  if (!ctx) return canvas
  const radius = canvas.width / 2 - MARGIN_PX * devicePixelRatio
  ctx.translate(canvas.width / 2, canvas.height / 2)
  ctx.scale(radius, radius)
  ctx.lineWidth = 0.015
  ctx.lineJoin = 'round'
  ctx.strokeStyle = readColour('--surface')
  for (const { outline, token } of slices) {
    const path = new Path2D(outline)
    ctx.fillStyle = readColour(token)
    ctx.fill(path)
    ctx.stroke(path)
  }
  return canvas
}

/** Arranges entries in lines that are no wider than the picture. */
export function layOut(widths: number[], width: number): number[][] {
  const lines: number[][] = [[]]
  let used = 0
  widths.forEach((each, place) => {
    if (used && used + each > width) {
      lines.push([])
      used = 0
    }
    lines.at(-1)?.push(place)
    used += each
  })
  return lines
}

export function paintPicture(
  chart: HTMLCanvasElement,
  title: string,
  entries: Entry[],
): Promise<Blob | null> {
  const ratio = devicePixelRatio
  const canvas = document.createElement('canvas')
  const ctx = canvas.getContext('2d')
  if (!ctx) return Promise.resolve(null)
  const width = chart.width / ratio
  ctx.font = '12px system-ui, sans-serif'
  const widths = entries.map(({ label }) => ctx.measureText(label).width + SWATCH_PX + 2 * MARGIN_PX)
  const lines = entries.length ? layOut(widths, width - 2 * MARGIN_PX) : []
  canvas.width = chart.width
  canvas.height = chart.height + (TITLE_PX + lines.length * LINE_PX + MARGIN_PX) * ratio
  ctx.fillStyle = readColour('--surface')
  ctx.fillRect(0, 0, canvas.width, canvas.height)
  ctx.drawImage(chart, 0, TITLE_PX * ratio)
  ctx.scale(ratio, ratio)
  ctx.fillStyle = readColour('--ink')
  ctx.font = '600 14px system-ui, sans-serif'
  ctx.fillText(title, MARGIN_PX, 20, width - 2 * MARGIN_PX)
  ctx.font = '12px system-ui, sans-serif'
  lines.forEach((places, line) => {
    let left = MARGIN_PX
    const top = TITLE_PX + chart.height / ratio + line * LINE_PX + MARGIN_PX
    for (const place of places) {
      const { label = '', token = '--ink' } = entries[place] ?? {}
      ctx.fillStyle = readColour(token)
      ctx.fillRect(left, top - SWATCH_PX + 1, SWATCH_PX, SWATCH_PX)
      ctx.fillStyle = readColour('--ink')
      ctx.fillText(label, left + SWATCH_PX + 4, top)
      left += widths[place] ?? 0
    }
  })
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}
