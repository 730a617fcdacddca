"""Answers to OTLP requests in protobuf."""

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceResponse,
)

from logboom.protocols.otlp.record import Report


def encode_answer(report: Report) -> bytes:
    if not report.text:
        return b""
    partial = ExportLogsPartialSuccess(
        rejected_log_records=report.rejected, error_message=report.text
    )
    return bytes(ExportLogsServiceResponse(partial_success=partial).SerializeToString())


def encode_status(code: int, message: str) -> bytes:
    # On the wire google.rpc.Status starts with the same two fields: a number and a text.
    status = ExportLogsPartialSuccess(rejected_log_records=code, error_message=message)
    return bytes(status.SerializeToString())
