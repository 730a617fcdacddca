// @elastic/elasticsearch: the bulk helper, several requests at once, then a refresh.
'use strict'

const { Client } = require('@elastic/elasticsearch')
const { base, headers, sequences, makeEvent, makeText, fail } = require('./sending')

async function main () {
  const client = new Client({ node: base, headers })
  const result = await client.helpers.bulk({
    datasource: sequences.map(sequence => ({ message: makeText(sequence), ...makeEvent(sequence) })),
    onDocument: document => ({ create: { _index: `node-${document.sequence % 2}` } }),
    onDrop: fail,
    flushBytes: 50_000,
    refreshOnCompletion: true
  })
  if (result.successful !== sequences.length) fail(result)
}

main().catch(fail)
