/** Which kinds of chart an answer can be drawn as. */
import { findBuckets, type Picture } from './picture/picture'
import type { ChartKind } from './settings'

export function mayDraw(picture: Picture, kind: ChartKind, hasSlices: boolean): boolean {
  const { axis } = picture
  if (kind === 'single') return true
  if (kind === 'pie') return hasSlices
  if (kind === 'heatmap') return axis === 'time' && findBuckets(picture.series).length > 1
  return axis === 'time' || (axis === 'category' && kind === 'bar')
}

/** The wanted kind if the answer can be drawn that way, else one that fits. */
export function settleKind(picture: Picture, wanted: ChartKind | null, hasSlices: boolean): ChartKind {
  if (wanted !== null && mayDraw(picture, wanted, hasSlices)) return wanted
  return picture.axis === 'time' ? 'line' : picture.axis === 'category' ? 'bar' : 'single'
}
