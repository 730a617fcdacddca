/** Lookup tables as text: CSV for the server, converted from other formats if necessary. */

/** A cell, quoted or not, and its delimiter. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*|))(,|\r\n|\n|\r|$)/y

/** Rows of cells; a quoted cell may contain anything. Empty lines are left out. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let cells: string[] = []
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length) {
    const found = CELL.exec(text)
    if (!found) throw new Error(`row ${rows.length + 1} has an unclosed quote, or text after a closing quote`)
    const [, quoted, plain = '', end] = found
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    if (cells.some(Boolean) || cells.length > 1) rows.push(cells)
    cells = []
  }
  // A comma was the last character: an empty cell follows it.
  if (cells.length) rows.push([...cells, ''])
  return rows
}

function writeCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function writeCsv(rows: string[][]): string {
  return rows.map((cells) => `${cells.map(writeCell).join(',')}\n`).join('')
}

function writeValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** One object per line, or an array of objects. */
function parseObjects(text: string): unknown[] {
  if (text.trimStart().startsWith('[')) return JSON.parse(text) as unknown[]
  const lines = text.split('\n').filter((line) => line.trim())
  return lines.map((line) => JSON.parse(line) as unknown)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A row for each object, a column for each name that any of them has. */
export function writeObjects(text: string): string {
  const objects = parseObjects(text)
  if (!objects.every(isObject)) throw new Error('expected an array of objects, or one object per line')
  const columns = [...new Set(objects.flatMap((each) => Object.keys(each)))]
  const rows = objects.map((each) => columns.map((column) => writeValue(each[column])))
  return writeCsv([columns, ...rows])
}

/** CSV from a chosen file or pasted text, which may be CSV or JSON. */
export function toCsv(text: string): string {
  const plain = text.replace(/^\uFEFF/, '')
  return /^\s*[[{]/.test(plain) ? writeObjects(plain) : plain
}

export interface Preview {
  columns: string[]
  /** The first of them. */
  rows: string[][]
  count: number
}

/** The first rows of a table; throws an error that says what is wrong with it. */
export function preview(text: string, most: number): Preview {
  const [columns, ...rows] = parseCsv(toCsv(text))
  if (!columns) throw new Error('the table is empty; its first line must name the columns')
  const uneven = rows.findIndex((cells) => cells.length !== columns.length)
  if (uneven >= 0) {
    const found = rows[uneven]?.length ?? 0
    throw new Error(`row ${uneven + 2} has ${found} cells, the first line has ${columns.length}`)
  }
  return { columns, rows: rows.slice(0, most), count: rows.length }
}

/** The name for a table, made from the name of a file. */
export function nameAfter(file: string): string {
  const base = file.replace(/\.[^.]*$/, '').replace(/[^A-Za-z0-9_-]+/g, '_')
  return base.replace(/^[^A-Za-z_]+/, '').slice(0, 64)
}
