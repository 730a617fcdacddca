// winston-loki: JSON lines in streams, as JSON (variant json) or as snappy protobuf (variant protobuf).
'use strict'

const winston = require('winston')
const LokiTransport = require('winston-loki')
const { base, variant, headers, sequences, makeEvent, makeText, fail } = require('./sending')

async function main () {
  const transport = new LokiTransport({
    host: base,
    json: variant === 'json',
    headers,
    labels: { app: 'winston', sequence: 'a label' },
    format: winston.format.json(),
    gracefulShutdown: false,
    onConnectionError: fail
  })
  const logger = winston.createLogger({ transports: [transport] })
  for (const sequence of sequences) logger.info(makeText(sequence), makeEvent(sequence))
  await transport.close()
}

main().catch(fail)
