/** The last minutes of ingest as the bars of a chart. */

export const STEPS = 60
const STEP_SECS = 5

interface Step {
  events: number
}

/** Always the same number of steps; those before the service started are zero. */
export function fillHistory(history: Step[]): number[] {
  const known = history.slice(-STEPS).map((each) => each.events)
  return [...new Array<number>(STEPS - known.length).fill(0), ...known]
}

/** The highest number of events per second in any step. */
export function findPeak(history: Step[]): number {
  return Math.max(0, ...history.map((each) => each.events)) / STEP_SECS
}
