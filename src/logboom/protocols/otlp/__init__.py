"""OTLP logs over HTTP, in protobuf and JSON."""
