/** Draws what a plot has besides its series: the cells of a heatmap, threshold lines, and moments. */
import type uPlot from 'uplot'
import { readColour } from '../../parts/colours'
import type { Moment } from '../moments'
import type { Threshold } from '../settings'

const FAINTEST = 0.12

/** The intensity of a cell, 0 to 1: by the square root, so that small numbers are visible beside large ones. */
export function findStrength(value: number | null, most: number): number {
  return value && most > 0 ? FAINTEST + (1 - FAINTEST) * Math.sqrt(Math.min(1, value / most)) : 0
}

/** A cell for each time and bucket, the first bucket at the bottom; times and `span` are in seconds. */
export function paintCells(plot: uPlot, times: number[], span: number, buckets: (number | null)[][]): void {
  const { ctx } = plot
  const most = buckets.flat().reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0)
  ctx.save()
  ctx.fillStyle = readColour('--series-1')
  buckets.forEach((values, row) => {
    const [top, bottom] = [plot.valToPos(row + 1, 'y', true), plot.valToPos(row, 'y', true)]
    values.forEach((value, place) => {
      const strength = findStrength(value, most)
      if (!strength) return
      const start = plot.valToPos(times[place] ?? 0, 'x', true)
      const end = plot.valToPos((times[place] ?? 0) + span, 'x', true)
      ctx.globalAlpha = strength
      ctx.fillRect(start, top, Math.max(1, end - start - 1), Math.max(1, bottom - top - 1))
    })
  })
  ctx.restore()
}

export function paintThresholds(plot: uPlot, thresholds: Threshold[]): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio])
  for (const { value, color } of thresholds) {
    const height = plot.valToPos(value, 'y', true)
    if (height < bbox.top || height > bbox.top + bbox.height) continue
    ctx.strokeStyle = readColour(`--threshold-${color}`)
    ctx.beginPath()
    ctx.moveTo(bbox.left, height)
    ctx.lineTo(bbox.left + bbox.width, height)
    ctx.stroke()
  }
  ctx.restore()
}

/** A line from top to bottom for each moment, with a flag at its top. */
export function paintMoments(plot: uPlot, moments: Moment[]): void {
  const { ctx, bbox } = plot
  const flag = 6 * devicePixelRatio
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = readColour('--level-fatal')
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([2 * devicePixelRatio, 2 * devicePixelRatio])
  for (const { time } of moments) {
    const left = plot.valToPos(time / 1000, 'x', true)
    if (left < bbox.left || left > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(left, bbox.top + bbox.height)
    ctx.stroke()
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(left + flag, bbox.top + flag / 2)
    ctx.lineTo(left, bbox.top + flag)
    ctx.fill()
  }
  ctx.restore()
}
