import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLIENTS, fillClient, NO_KEY, TOOLS } from './clients'

const DOCS = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8')

test.each(CLIENTS)('$label is configured as the documentation shows', (client) => {
  expect(DOCS).toContain(fillClient(client, 'http://127.0.0.1:7300', NO_KEY))
})

test.each(CLIENTS.filter(({ text }) => text.startsWith('{')))('$label gets valid JSON', (client) => {
  expect(() => JSON.parse(fillClient(client, 'https://logs.example', 'lbk_1')) as unknown).not.toThrow()
})

test.each(TOOLS)('the tool %s is documented', (tool) => {
  expect(DOCS).toContain(`| \`${tool}\` |`)
})

test('key and origin are filled in everywhere', () => {
  const texts = CLIENTS.map((client) => fillClient(client, 'https://logs.example', 'lbk_1'))
  for (const text of texts) {
    expect(text).toContain('https://logs.example')
    expect(text).toContain('lbk_1')
    expect(text).not.toMatch(/%[A-Z]+%/)
  }
})
