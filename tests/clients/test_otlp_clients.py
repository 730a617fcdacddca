"""The OpenTelemetry SDK with its batch processor and its exporter; and bodies of JSON, which it does not send."""

import pytest
from opentelemetry._logs import Logger, SeverityNumber
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    set_span_in_context,
)
from tests.clients.sent import COUNT, Fields, check_events, list_events, make_event, make_text
from tests.running import RunningService

BASE_NS = 1_767_323_045_000_000_000
TRACE = 0x0AF7651916CD43DD8448EB211C80319C
SPAN = 0x00F067AA0BA902B7
RESOURCE = {"service.name": "python-service", "host.name": "python-host"}
EXPECTED = {
    "severity": "WARN",
    "traceId": f"{TRACE:032x}",
    "spanId": f"{SPAN:016x}",
    **RESOURCE,
    "scope.name": "python-scope",
    "scope.version": "1.2.3",
}


def emit_all(logger: Logger) -> None:
    span = NonRecordingSpan(SpanContext(TRACE, SPAN, False, TraceFlags(TraceFlags.SAMPLED)))
    context = set_span_in_context(span)
    for sequence in range(COUNT):
        logger.emit(
            timestamp=BASE_NS + sequence,
            context=context,
            severity_number=SeverityNumber.WARN,
            severity_text="WARN",
            body=make_text(sequence),
            attributes=make_event(sequence),
        )


def check_stored(service: RunningService, env: str) -> None:
    rows = check_events(list_events(service, env), **EXPECTED)
    assert rows[7]["_time"] == "2026-01-02T03:04:05.000000007Z"
    assert service.count("http.status:>=200 severity:WARN", env=env) == COUNT


@pytest.mark.parametrize("compression", list(Compression))
def test_the_exporter(
    service: RunningService,
    env: str,
    compression: Compression,
    caplog: pytest.LogCaptureFixture,
) -> None:
    exporter = OTLPLogExporter(
        endpoint=f"http://127.0.0.1:{service.port}/v1/logs",
        headers={"X-Service-Env": env},
        compression=compression,
    )
    provider = LoggerProvider(resource=Resource(RESOURCE), shutdown_on_exit=False)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_export_batch_size=300))
    emit_all(provider.get_logger("python-scope", "1.2.3"))
    provider.shutdown()
    assert [each for each in caplog.records if each.name.startswith("opentelemetry")] == []
    check_stored(service, env)


def wrap(value: object) -> Fields:
    """A value as OTLP writes it in JSON."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case dict():
            return {"kvlistValue": {"values": wrap_members(value)}}
        case list():
            return {"arrayValue": {"values": [wrap(element) for element in value]}}
        case _:
            return {"stringValue": value}


def wrap_members(members: Fields) -> list[Fields]:
    return [{"key": key, "value": wrap(value)} for key, value in members.items()]


def wrap_record(sequence: int) -> Fields:
    return {
        "timeUnixNano": str(BASE_NS + sequence),
        "severityNumber": 13,
        "severityText": "WARN",
        "body": wrap(make_text(sequence)),
        "attributes": wrap_members(make_event(sequence)),
        "traceId": f"{TRACE:032X}",
        "spanId": f"{SPAN:016X}",
    }


@pytest.mark.parametrize("path", ["/v1/logs", "/api/otlp/v1/logs"])
def test_bodies_of_json(service: RunningService, env: str, path: str) -> None:
    records = [wrap_record(sequence) for sequence in range(COUNT)]
    scope = {"scope": {"name": "python-scope", "version": "1.2.3"}, "logRecords": records}
    resource = {"attributes": wrap_members(RESOURCE)}
    request = {"resourceLogs": [{"resource": resource, "scopeLogs": [scope]}]}
    answer = service.anonymous.post(path, json=request, headers={"X-Service-Env": env})
    assert (answer.status_code, answer.text) == (200, "{}")
    assert answer.headers["Content-Type"] == "application/json"
    check_stored(service, env)
