// pino-loki: a worker thread of the logger, with labels and structured metadata.
'use strict'

const pino = require('pino')
const { base, headers, sequences, makeEvent, makeText, fail } = require('./sending')

const transport = pino.transport({
  target: 'pino-loki',
  options: {
    host: base,
    headers,
    labels: { app: 'pino' },
    propsToLabels: ['even'],
    structuredMetaKey: 'http',
    interval: 1
  }
})
transport.on('error', fail)

const logger = pino(transport)
for (const sequence of sequences) logger.error(makeEvent(sequence), makeText(sequence))
transport.end()
