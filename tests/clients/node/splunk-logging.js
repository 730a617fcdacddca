// splunk-logging: batches of concatenated envelopes under the content type of a form.
'use strict'

const { Logger } = require('splunk-logging')
const { base, token, sequences, makeEvent, makeText, fail } = require('./sending')

const logger = new Logger({ token, url: base, maxBatchCount: 0 })
logger.error = fail

for (const sequence of sequences) {
  logger.send({
    message: { text: makeText(sequence), ...makeEvent(sequence) },
    severity: 'warn',
    metadata: { host: 'node-host', source: 'node-source', sourcetype: 'node-type', index: `hec-${sequence % 2}` }
  })
}
logger.flush((error, response, body) => {
  if (error || body.code !== 0) fail(error || body)
})
