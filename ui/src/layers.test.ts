import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = import.meta.dirname
const PAGES = ['admin', 'alerts', 'dashboards', 'explore', 'start']
/** What the folder of some pages offers to all others: how to get there, and what they show as text. */
const OFFERED = new Set([
  'explore/view',
  'explore/addresses',
  'explore/filters/filters',
  'explore/events/text/values',
  'explore/table/cells',
  'explore/time/TimePicker.svelte',
  'dashboards/dialogs/AddDialog.svelte',
  'alerts/form/AlertDialog.svelte',
  'alerts/form/drafts',
  'alerts/list.svelte',
])
/** The table of all pages. */
const KNOWS_ALL = new Set(['shell/pages.ts', 'App.svelte', 'main.ts'])

function listFiles(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(ts|svelte)$/.test(name),
  )
}

function listImports(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
}

const folderOf = (path: string) => path.split('/')[0] ?? ''

test('the folders of pages take nothing from each other, nor the shared ones from them, but what is offered', () => {
  const found = listFiles()
    .filter((file) => !KNOWS_ALL.has(file))
    .flatMap((file) =>
      listImports(file)
        .filter((path) => PAGES.includes(folderOf(path)) && folderOf(path) !== folderOf(file))
        .filter((path) => !OFFERED.has(path))
        .map((path) => `${file} takes ${path}`),
    )
  expect(found).toEqual([])
})
