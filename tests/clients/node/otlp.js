// The OpenTelemetry SDK with its batches: JSON (variant http) or gzipped protobuf (variant proto), both chunked.
'use strict'

const { diag, DiagConsoleLogger, DiagLogLevel } = require('@opentelemetry/api')
const { SeverityNumber } = require('@opentelemetry/api-logs')
const { resourceFromAttributes } = require('@opentelemetry/resources')
const { BatchLogRecordProcessor, LoggerProvider } = require('@opentelemetry/sdk-logs')
const { base, variant, headers, sequences, makeEvent, makeText, fail } = require('./sending')

const { OTLPLogExporter } = require(`@opentelemetry/exporter-logs-otlp-${variant}`)
const compression = variant === 'proto' ? 'gzip' : 'none'

async function main () {
  diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.WARN)
  const exporter = new OTLPLogExporter({ url: `${base}/v1/logs`, headers, compression })
  const processor = new BatchLogRecordProcessor({ exporter, maxExportBatchSize: 300 })
  const resource = resourceFromAttributes({ 'service.name': 'node-service', even: 'a resource' })
  const provider = new LoggerProvider({ resource, processors: [processor] })
  const logger = provider.getLogger('node-scope', '1.2.3')
  for (const sequence of sequences) {
    logger.emit({
      severityNumber: SeverityNumber.ERROR,
      severityText: 'ERROR',
      body: makeText(sequence),
      attributes: makeEvent(sequence)
    })
  }
  await provider.shutdown()
}

main().catch(fail)
