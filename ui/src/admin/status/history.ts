/** The last minutes of ingest as the bars of a chart. */

export const STEPS = 60
const STEP_SECS = 5

interface Step {
  events: number
}

/** Always as many: a service that has just started has done nothing before. */
export function fillHistory(history: Step[]): number[] {
  const known = history.slice(-STEPS).map((each) => each.events)
  return [...new Array<number>(STEPS - known.length).fill(0), ...known]
}

/** The most events in a second that a step had. */
export function findPeak(history: Step[]): number {
  return Math.max(0, ...history.map((each) => each.events)) / STEP_SECS
}
