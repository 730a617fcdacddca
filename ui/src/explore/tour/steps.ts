/** The tour: how to find the incident in the sample data, in six steps. */
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
    text: 'Customers report that they cannot pay. This chart shows errors over time by service, with one clear peak. Drag over a chart to zoom in.',
    view: { query: 'level:error | timechart 30m count by service', tab: 'chart' },
  },
  {
    title: 'What do customers see?',
    text: 'A query with stats returns a table. Nearly all failures are 504s and 502s, and only in eu-west-1. Click a cell to see the events behind it.',
    view: { query: 'service:edge http.status>=500 | stats count by http.status, region', tab: 'table' },
  },
  {
    title: 'Which service fails first?',
    text: 'Payments is the first to fail. Here the histogram is broken down by version. Open an event to see its fields or its whole trace.',
    view: { query: 'service:payments level:error', tab: 'events', by: 'version' },
  },
  {
    title: 'Do all versions of payments fail?',
    text: 'One version has all of the errors and a 95th percentile of many seconds. The others are fine.',
    view: {
      query:
        'service:payments trace_id:* region:eu-west-1 | stats count, count if (level:error) as errors, p95(duration_ms) as p95_ms by version',
      tab: 'table',
    },
  },
  {
    title: 'What happened just before?',
    text: 'Deploys are marked in the chart. The errors begin with one deploy and end with the next. Hover over a mark to see which.',
    view: {
      query: 'service:payments level:error | timechart 10m count',
      tab: 'chart',
      chart: 'bar',
      marks: 'service:deploy',
    },
  },
  {
    title: 'Get notified next time',
    text: 'Alert… creates an alert from the current query and shows when it would have fired. Save stores the query or adds it to a dashboard.',
    view: { query: 'service:payments level:error', tab: 'events' },
  },
]

/** The view of a step in an environment; nothing of the previous view is kept. */
export function viewOf({ view }: Step, env: string): View {
  return { ...DEFAULT_VIEW, ...DAY, env, ...view }
}
