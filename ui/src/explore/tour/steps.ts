/** The tour: the incident in the sample data, found in six steps. */
import { DEFAULT_VIEW, type View } from '../view'

export interface Step {
  title: string
  text: string
  view: Partial<View> & { query: string }
}

const DAY = { from: '-24h', to: 'now' }

export const STEPS: Step[] = [
  {
    title: 'Is something wrong?',
    text: 'Customers say that they cannot pay. Errors over time, by service: there is one mountain. Drag over a chart to zoom in.',
    view: { query: 'level:error | timechart 30m count by service', tab: 'chart' },
  },
  {
    title: 'What do customers see?',
    text: 'A query with stats becomes a table. Nearly all failures are 504 and 502, and those are in eu-west-1 alone. A click on a cell leads to the events behind it.',
    view: { query: 'service:edge http.status>=500 | stats count by http.status, region', tab: 'table' },
  },
  {
    title: 'Who makes them wait?',
    text: 'Payments is the first to fail. The histogram is broken down by version here; open an event to see its fields, or all of its trace.',
    view: { query: 'service:payments level:error', tab: 'events', by: 'version' },
  },
  {
    title: 'Is it all of payments?',
    text: 'One version has all of the errors, and a 95th percentile of many seconds; the others are fine.',
    view: {
      query:
        'service:payments trace_id:* region:eu-west-1 | stats count, count if (level:error) as errors, p95(duration_ms) as p95_ms by version',
      tab: 'table',
    },
  },
  {
    title: 'What happened just before?',
    text: 'Deploys are marked in the chart: the errors begin with one, and end with the next. Point at a mark to see which.',
    view: {
      query: 'service:payments level:error | timechart 10m count',
      tab: 'chart',
      chart: 'bar',
      marks: 'service:deploy',
    },
  },
  {
    title: 'Be told next time',
    text: 'Alert… makes an alert of what you look at, and shows when it would have fired. Save keeps the query, or puts it on a dashboard.',
    view: { query: 'service:payments level:error', tab: 'events' },
  },
]

/** What a step shows in an environment: nothing of what was there before. */
export function viewOf({ view }: Step, env: string): View {
  return { ...DEFAULT_VIEW, ...DAY, env, ...view }
}
