"""The reading part of the Loki API, which Grafana and logcli use."""
