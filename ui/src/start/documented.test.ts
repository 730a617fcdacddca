import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SHIPPERS } from './snippets'
import { fill } from './target'

const DOCS = new URL('../../../docs/', import.meta.url)
const TARGET = {
  origin: 'http://127.0.0.1:7300',
  index: 'app',
  token: 'TOKEN',
  syslog: { tcp_port: 5514, udp_port: 5514 },
}
/** What says only that there is no TLS, which the documentation leaves out. */
const NO_TLS = /^ *tls: off\n| usehttps="off"/gm

function readDocs(): string {
  const protocols = readdirSync(new URL('protocols/', DOCS)).map((name) => `protocols/${name}`)
  const pages = ['syslog.md', ...protocols].map((name) => readFileSync(new URL(name, DOCS), 'utf8'))
  return pages.join('\n').replaceAll('$TOKEN', 'TOKEN').replace(NO_TLS, '')
}

const documented = readDocs()
const SNIPPETS = SHIPPERS.flatMap((shipper) =>
  shipper.snippets
    .filter(({ language, text }) => language !== 'Shell' || !text.includes('curl '))
    .map((snippet) => ({ ...snippet, name: `${shipper.label}: ${snippet.title}` })),
)

test.each(SNIPPETS)('$name is what the documentation shows', ({ text }) => {
  const shown = fill(text, TARGET)
    .replace(/^# pip .*\n/, '')
    .replace(NO_TLS, '')
  expect(documented).toContain(shown)
})
