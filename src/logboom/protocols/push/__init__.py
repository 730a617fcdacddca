"""The log-aggregator push, in JSON and protobuf."""
