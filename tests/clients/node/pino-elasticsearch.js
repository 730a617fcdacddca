// pino-elasticsearch: a stream below a pino logger, with an API key.
'use strict'

const pino = require('pino')
const pinoElasticsearch = require('pino-elasticsearch')
const { base, token, sequences, makeEvent, makeText, fail } = require('./sending')

const stream = pinoElasticsearch({
  node: base,
  auth: { apiKey: token },
  index: 'pino-%{DATE}',
  opType: 'create',
  esVersion: 8,
  flushBytes: 50_000
})
for (const complaint of ['unknown', 'insertError', 'error']) stream.on(complaint, fail)
stream.on('insert', result => { if (result.successful !== sequences.length) fail(result) })

const logger = pino(stream)
for (const sequence of sequences) logger.warn(makeEvent(sequence), makeText(sequence))
stream.end()
