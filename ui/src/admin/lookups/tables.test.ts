import { describe, expect, it } from 'vitest'
import { nameAfter, parseCsv, preview, toCsv, writeCsv } from './tables'

describe('CSV', () => {
  it('has cells in quotes with anything in them', () => {
    const rows = [
      ['host', 'note'],
      ['web-1', 'says "hi", twice\nand more'],
      ['db', ''],
    ]
    expect(parseCsv(writeCsv(rows))).toEqual(rows)
  })

  it('ends lines as Windows does too, and needs no last line end', () => {
    expect(parseCsv('a,b\r\n1,2\r\n\r\n3,4')).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ])
  })

  it('may end with an empty cell', () => {
    expect(parseCsv('a,b\n1,')).toEqual([
      ['a', 'b'],
      ['1', ''],
    ])
    expect(parseCsv('')).toEqual([])
  })

  it('says where it is broken', () => {
    expect(() => parseCsv('a\n"b')).toThrow('row 2')
    expect(() => parseCsv('"a"b\n')).toThrow('row 1')
    expect(() => preview('a,b\n1\n', 5)).toThrow('row 2 has 1 cells')
    expect(() => preview('\n', 5)).toThrow('empty')
  })
})

describe('JSON', () => {
  it('becomes a column for each name, from an array or from lines', () => {
    const csv = 'host,team,n\nweb-1,front,\ndb-1,,3\n'
    expect(toCsv('[{"host":"web-1","team":"front"},{"host":"db-1","team":null,"n":3}]')).toBe(csv)
    expect(toCsv('{"host":"web-1","team":"front"}\n{"host":"db-1","n":3}\n')).toBe(csv)
  })

  it('keeps what is inside of objects as JSON', () => {
    expect(toCsv('[{"a":{"b":[1,"x"]}}]')).toBe('a\n"{""b"":[1,""x""]}"\n')
  })

  it('must be objects', () => {
    expect(() => toCsv('[1,2]')).toThrow('array of objects')
    expect(() => toCsv('[{"a":1}')).toThrow()
  })
})

it('shows the first rows and counts all', () => {
  expect(preview('\uFEFFa,b\n1,2\n3,4\n5,6\n', 2)).toEqual({
    columns: ['a', 'b'],
    rows: [
      ['1', '2'],
      ['3', '4'],
    ],
    count: 3,
  })
})

it('names a table after its file', () => {
  expect(nameAfter('Hosts of 2026.csv')).toBe('Hosts_of_2026')
  expect(nameAfter('2026 hosts.json')).toBe('_hosts')
})
