import { expect, test, vi } from 'vitest'
import type { EventRow, Scope } from '../../api/search'
import { DEFAULT_VIEW, readView } from '../view'

vi.stubGlobal('location', { hash: '' })
vi.stubGlobal('addEventListener', () => undefined)
const { linkContext, linkEvent } = await import('./links')

const SCOPE: Scope = {
  query: 'a',
  filter: '',
  env: 'default',
  index: '*',
  from: '2026-11-15T10:00:00.000Z',
  to: null,
  timezone: 'UTC',
}

function read(link: string) {
  return readView(new URLSearchParams(link.split('?')[1]))
}

function makeRow(time: string, id: string): EventRow {
  return { _time: time, _id: id, _env: 'prod', _index: 'web', Host: 'a"b' }
}

test('a link to an event keeps the question and fixes its time', () => {
  const view = { ...DEFAULT_VIEW, query: 'a', from: '-1h', isLive: true, columns: ['host'] }
  expect(read(linkEvent(view, SCOPE, 'x-1'))).toEqual({
    ...view,
    from: '2026-11-15T10:00:00.000Z',
    to: '',
    event: 'x-1',
    isLive: false,
  })
})

test('a link to the surroundings spans them, the last included', () => {
  const rows = ['10:00:00.000000001', '10:00:01', '10:00:02.123456789'].map((time, place) =>
    makeRow(`2026-11-15T${time}Z`, `id-${place}`),
  )
  const anchor = rows[1] as EventRow
  const view = read(linkContext(rows, anchor, ['host']))
  expect(view).toMatchObject({ env: 'prod', index: 'web', query: 'host:="a\\"b"', event: 'id-1' })
  expect(view.from).toBe('2026-11-15T10:00:00.000000001Z')
  expect(view.to).toBe('2026-11-15T10:00:02.124Z')
})
