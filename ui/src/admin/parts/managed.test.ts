import { expect, test, vi } from 'vitest'
import { toasts } from '../../parts/toasts.svelte'
import { Managed } from './managed.svelte'

interface Key {
  id: string
  name: string
  enabled: boolean
}

const KEY: Key = { id: 'k1', name: 'reader', enabled: true }

async function manage() {
  const means = {
    noun: 'key',
    name: ({ name }: Key) => name,
    list: vi.fn(() => Promise.resolve({ value: [KEY], tag: '"4"' })),
    drop: vi.fn(() => Promise.resolve()),
    change: vi.fn(() => Promise.resolve()),
  }
  const keys = new Managed<Key>(means)
  await keys.load()
  means.list.mockClear()
  toasts.shown = []
  return { keys, means }
}

test('what is there comes with the tag of its state', async () => {
  const { keys } = await manage()
  expect(keys.rows).toEqual([KEY])
  expect(keys.tag).toBe('"4"')
})

test('one is deleted only as it was seen, and the list is read again', async () => {
  const { keys, means } = await manage()
  await keys.remove(KEY)
  expect(means.drop).toHaveBeenCalledWith('k1', '"4"')
  expect(means.list).toHaveBeenCalledOnce()
  expect(toasts.shown.map(({ text }) => text)).toEqual(['Key reader deleted'])
})

test('one is switched whatever else was changed', async () => {
  const { keys, means } = await manage()
  await keys.switchOver(KEY)
  expect(means.change).toHaveBeenCalledWith('k1', { enabled: false }, '*')
  expect(toasts.shown.map(({ text }) => text)).toEqual(['reader is disabled'])
})

test('a switch that fails says so', async () => {
  const { keys, means } = await manage()
  means.change.mockRejectedValueOnce(new Error('no enabled admin would be left'))
  await keys.switchOver(KEY)
  expect(toasts.shown).toMatchObject([{ kind: 'bad', text: 'No enabled admin would be left' }])
  expect(means.list).toHaveBeenCalledOnce()
})

test('a dialog is for a new one or for one that is there', async () => {
  const { keys } = await manage()
  keys.add()
  expect([keys.edited, keys.known]).toEqual(['new', null])
  keys.edited = KEY
  expect(keys.known).toBe(KEY)
  keys.close()
  expect(keys.edited).toBeNull()
})
