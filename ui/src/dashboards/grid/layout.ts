/** The layout of panels on the grid: without overlaps, and each as high up as possible. */

export interface Box {
  x: number
  y: number
  w: number
  h: number
}

export const COLUMNS = 24
const [MOST_ROWS, HIGHEST] = [10_000, 100]

const within = (value: number, least: number, most: number) =>
  Math.max(least, Math.min(most, Math.round(value)))

/** The box, clamped to the grid. */
export function clamp({ x, y, w, h }: Box): Box {
  const width = within(w, 1, COLUMNS)
  return {
    x: within(x, 0, COLUMNS - width),
    y: within(y, 0, MOST_ROWS),
    w: width,
    h: within(h, 1, HIGHEST),
  }
}

export function overlaps(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.w &&
    other.x < one.x + one.w &&
    one.y < other.y + other.h &&
    other.y < one.y + one.h
  )
}

/** The first row, from the box's own on, where it overlaps no other. */
function findRow(box: Box, placed: Box[]): number {
  let y = box.y
  for (;;) {
    const inTheWay = placed.filter((each) => overlaps({ ...box, y }, each))
    if (!inTheWay.length) return y
    y = Math.max(...inTheWay.map((each) => each.y + each.h))
  }
}

/** The boxes without overlaps and without gaps above them; the one at index `firm` stays where it is. */
export function settle<T extends Box>(boxes: T[], firm = -1): T[] {
  const order = boxes
    .map((box, place) => ({ box: { ...box, ...clamp(box) }, place }))
    .sort(
      (one, other) =>
        one.box.y - other.box.y ||
        Number(other.place === firm) - Number(one.place === firm) ||
        one.box.x - other.box.x,
    )
  const placed: T[] = []
  const settled: T[] = []
  for (const { box, place } of order) {
    const moved = { ...box, y: findRow({ ...box, y: 0 }, placed) }
    placed.push(moved)
    settled[place] = moved
  }
  return settled
}

/** Moves or resizes one box, and moves the others out of its way. */
export function change<T extends Box>(boxes: T[], place: number, wanted: Partial<Box>): T[] {
  return settle(
    boxes.map((box, each) => (each === place ? { ...box, ...clamp({ ...box, ...wanted }) } : box)),
    place,
  )
}

/** The first row below all boxes. */
export function findBottom(boxes: Box[]): number {
  return Math.max(0, ...boxes.map(({ y, h }) => y + h))
}
