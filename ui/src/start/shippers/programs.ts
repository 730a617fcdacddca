/** Programs and people that send by themselves. */
import type { Shipper } from './shipper'

export const CURL: Shipper = {
  name: 'curl',
  label: 'curl',
  intro: 'Anything that can POST lines: JSON objects, one on each line, or text of any kind.',
  snippets: [
    {
      title: 'JSON lines',
      language: 'Shell',
      needs: 'native',
      text: `curl '%ORIGIN%/api/ingest?index=%INDEX%' \\
  -H 'Authorization: Bearer %TOKEN%' --data-binary '
{"level":"info","service":"shop","message":"order placed","order":{"id":1001}}
{"level":"error","service":"shop","message":"card declined","order":{"id":1002}}'`,
      hint: 'Without a time of their own, events get that of their arrival.',
    },
    {
      title: 'Text',
      language: 'Shell',
      needs: 'native',
      text: `tail -n 1000 /var/log/syslog | curl '%ORIGIN%/api/ingest/raw?index=%INDEX%' \\
  -H 'Authorization: Bearer %TOKEN%' --data-binary @-`,
      hint: 'Syslog, access logs, logfmt, CSV and more are told apart by looking; format=… says it.',
    },
  ],
}

export const IMPORT: Shipper = {
  name: 'files',
  label: 'Files',
  intro:
    'Sources read files on the machine of the service, also as they grow. Files elsewhere are sent once by the command line.',
  page: { label: 'Set up a source', path: '/admin/ingestion/sources' },
  snippets: [
    {
      title: 'Send files once',
      language: 'Shell',
      needs: 'native',
      text: `export LOGBOOM_URL=%ORIGIN%
export LOGBOOM_TOKEN=%TOKEN%
logboom import --index %INDEX% /var/log/app/*.log*`,
      hint: 'Also compressed ones, by gzip or zstd; - is standard input.',
    },
  ],
}

export const PYTHON: Shipper = {
  name: 'python',
  label: 'Python logging',
  intro: 'For programs that log now and then, the standard library is enough; for more take OpenTelemetry.',
  snippets: [
    {
      title: 'Standard library',
      language: 'Python',
      needs: 'native',
      text: `import atexit
import json
import logging
import logging.handlers
import queue
import urllib.request


class LogboomHandler(logging.Handler):
    def emit(self, record):
        event = {
            "timestamp": record.created,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        request = urllib.request.Request(
            "%ORIGIN%/api/ingest?index=%INDEX%",
            data=json.dumps(event).encode(),
            headers={"Authorization": "Bearer %TOKEN%"},
        )
        try:
            urllib.request.urlopen(request, timeout=10).close()
        except OSError:
            self.handleError(record)


# A thread of its own sends, so that nothing has to wait for the network.
records = queue.SimpleQueue()
listener = logging.handlers.QueueListener(records, LogboomHandler())
listener.start()
atexit.register(listener.stop)
logging.getLogger().addHandler(logging.handlers.QueueHandler(records))

logging.warning("hello from python")`,
    },
    {
      title: 'OpenTelemetry SDK',
      language: 'Python',
      needs: 'compat',
      text: `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
import logging

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

exporter = OTLPLogExporter(
    endpoint="%ORIGIN%/v1/logs",
    headers={"Authorization": "Bearer %TOKEN%", "X-Service-Index": "%INDEX%"},
)
provider = LoggerProvider(Resource({"service.name": "checkout"}))
provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
logging.getLogger().addHandler(LoggingHandler(logger_provider=provider))

logging.warning("hello from python", extra={"order": 1003})
provider.shutdown()`,
    },
  ],
}

export const NODE: Shipper = {
  name: 'node',
  label: 'Node',
  intro: 'With the OpenTelemetry SDK; the push and bulk transports of pino and winston work as well.',
  snippets: [
    {
      title: 'OpenTelemetry SDK',
      language: 'JavaScript',
      needs: 'compat',
      text: `const { LoggerProvider, BatchLogRecordProcessor } = require("@opentelemetry/sdk-logs");
const { OTLPLogExporter } = require("@opentelemetry/exporter-logs-otlp-http");

const exporter = new OTLPLogExporter({
  url: "%ORIGIN%/v1/logs",
  headers: { Authorization: "Bearer %TOKEN%", "X-Service-Index": "%INDEX%" },
});
const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] });
provider.getLogger("app").emit({ severityText: "INFO", body: "hello from node" });
await provider.shutdown();`,
      hint: 'Version 2 of the SDK takes new BatchLogRecordProcessor(exporter).',
    },
  ],
}
