import { expect, it } from 'vitest'
import type { Source, SourceStatus } from '../../api/control'
import { describeCondition, takesGrok, valuesOf, draftOf } from './sources'

const STATUS: SourceStatus = {
  last_run: null,
  last_status: null,
  last_error: null,
  total_ingested: 0,
  current_file: null,
  files: [],
  files_total: 0,
}
const SOURCE: Source = {
  id: '01',
  name: 'java',
  environment: 'prod',
  index: 'app-{{service}}',
  path: '/srv/**/*.log',
  exclude: ['/srv/tmp/**'],
  format: 'grok',
  compression: 'gzip',
  multiline: { pattern: '^\\d', max_lines: 20 },
  grok: 'java',
  poll_interval_secs: 60,
  source: 'tag',
  enabled: false,
  status: STATUS,
}

it('asks for what the source was when nothing is changed', () => {
  const draft: Partial<Source> = { ...SOURCE }
  delete draft.id
  delete draft.status
  expect(draftOf(valuesOf(SOURCE), SOURCE.grok)).toEqual(draft)
})

it('leaves the source as it is while its values are changed', () => {
  const values = valuesOf(SOURCE)
  values.exclude.push('/x')
  values.multiline.pattern = 'other'
  expect(SOURCE.exclude).toEqual(['/srv/tmp/**'])
  expect(SOURCE.multiline?.pattern).toBe('^\\d')
})

it('asks for no folding and no pattern where these are not shown', () => {
  const values = { ...valuesOf(SOURCE), isFolded: false, format: 'json' }
  expect(draftOf(values, SOURCE.grok)).toMatchObject({ multiline: null, grok: '' })
})

it('begins a new source with the defaults of the API', () => {
  expect(draftOf(valuesOf(null), '')).toEqual({
    name: '',
    environment: 'default',
    index: 'default',
    path: '',
    exclude: [],
    format: 'auto',
    compression: 'auto',
    multiline: null,
    grok: '',
    poll_interval_secs: 10,
    source: '',
    enabled: true,
  })
})

it('shows a pattern for grok, and for auto only where there was one', () => {
  expect(takesGrok('grok', '')).toBe(true)
  expect(takesGrok('auto', 'nginx')).toBe(true)
  expect(takesGrok('auto', '')).toBe(false)
  expect(takesGrok('json', 'nginx')).toBe(false)
})

it('says in a word how a source is', () => {
  const word = (enabled: boolean, status: Partial<SourceStatus>) =>
    describeCondition({ enabled, status: { ...STATUS, ...status } }).label
  expect(word(true, {})).toBe('Waiting')
  expect(word(true, { last_status: 'ok' })).toBe('OK')
  expect(word(false, { last_status: 'ok' })).toBe('Disabled')
  expect(word(false, { last_status: 'error' })).toBe('Error')
  expect(word(true, { last_status: 'error', current_file: '/a' })).toBe('Reading')
})
