/** Programs that send events themselves, and manual ways. */
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
      hint: 'Syslog, access logs, logfmt, CSV and more are detected automatically; format=… names the format.',
    },
  ],
}

export const IMPORT: Shipper = {
  name: 'files',
  label: 'Files',
  intro:
    'Sources read files on the machine of the service, also as they grow. Send files from other machines once, with the command line.',
  page: { label: 'Set up a source', path: '/admin/ingestion/sources' },
  snippets: [
    {
      title: 'Send files once',
      language: 'Shell',
      needs: 'native',
      text: `export LOGBOOM_URL=%ORIGIN%
export LOGBOOM_TOKEN=%TOKEN%
logboom import --index %INDEX% /var/log/app/*.log*`,
      hint: 'Files may be compressed with gzip or zstd; - is standard input.',
    },
  ],
}

export const PYTHON: Shipper = {
  name: 'python',
  label: 'Python logging',
  intro: 'With nothing but the standard library, or with OpenTelemetry.',
  snippets: [
    {
      title: 'Standard library',
      language: 'Python',
      needs: 'native',
      text: `import atexit
import json
import logging
import queue
import sys
import threading
import time
import urllib.request
import uuid


class LogboomHandler(logging.Handler):
    def __init__(self):
        super().__init__()
        self.events = queue.Queue(100_000)
        threading.Thread(target=self.send_all, daemon=True).start()
        atexit.register(self.events.join)

    def emit(self, record):
        event = {
            "timestamp": record.created,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.format(record),
        }
        try:
            self.events.put_nowait(json.dumps(event))
        except queue.Full:
            self.handleError(record)

    def send_all(self):
        while True:
            batch = [self.events.get()]
            while len(batch) < 1000 and not self.events.empty():
                batch.append(self.events.get())
            self.send("\\n".join(batch).encode())
            for _ in batch:
                self.events.task_done()

    def send(self, body):
        request = urllib.request.Request("%ORIGIN%/api/ingest?index=%INDEX%", data=body)
        request.add_header("Authorization", "Bearer %TOKEN%")
        request.add_header("Idempotency-Key", str(uuid.uuid4()))
        for pause in (1, 2, 4, 8, 16, 32):
            try:
                urllib.request.urlopen(request, timeout=30).close()
                return
            except OSError as error:
                print("Logboom:", error, file=sys.stderr)
                if getattr(error, "code", 503) not in (429, 503):
                    return
                time.sleep(pause)


logging.getLogger().addHandler(LogboomHandler())

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
    timeout=60,
)
provider = LoggerProvider(Resource({"service.name": "checkout"}))
provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_queue_size=100_000))
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
      text: `import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-http";

const exporter = new OTLPLogExporter({
  url: "%ORIGIN%/v1/logs",
  headers: { Authorization: "Bearer %TOKEN%", "X-Service-Index": "%INDEX%" },
  timeoutMillis: 60000,
});
const processor = new BatchLogRecordProcessor({
  exporter,
  maxQueueSize: 100000,
  exportTimeoutMillis: 60000,
});
const provider = new LoggerProvider({ processors: [processor] });
const logger = provider.getLogger("app");
logger.emit({ severityText: "INFO", body: "hello from node" });
await provider.shutdown();`,
      hint: 'Version 2 of the SDK takes new BatchLogRecordProcessor(exporter, { maxQueueSize … }).',
    },
  ],
}
