import { expect, test } from 'vitest'
import { findZone, listZones, renewName } from './names'
import { isZone } from './zones'

const ZONES = listZones()

test('the list has the names of today, each once, and every one is a zone', () => {
  const names = ZONES.map(({ value }) => value)
  for (const name of ['Asia/Kolkata', 'Europe/Kyiv', 'Asia/Ho_Chi_Minh', 'America/Argentina/Buenos_Aires'])
    expect(names).toContain(name)
  for (const name of ['Asia/Calcutta', 'Europe/Kiev', 'Asia/Saigon']) expect(names).not.toContain(name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !isZone(name))).toEqual([])
})

test('a browser that lists names of today gives the same list', () => {
  const today = Intl.supportedValuesOf('timeZone').map(renewName)
  expect(listZones(today)).toEqual(ZONES)
  expect(listZones([...today, 'Asia/Calcutta'])).toEqual(ZONES)
})

test.each([
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['kolkata', 'Asia/Kolkata'],
  ['Calcutta', 'Asia/Kolkata'],
  ['ho chi minh', 'Asia/Ho_Chi_Minh'],
  ['Buenos Aires', 'America/Argentina/Buenos_Aires'],
  ['Local time', 'local'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['Middle/Earth', null],
  ['', null],
  ['Asia', null],
])('%j is the zone %j', (text, zone) => {
  expect(findZone(text, ZONES)).toBe(zone)
})
