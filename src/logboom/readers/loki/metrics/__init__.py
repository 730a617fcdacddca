"""Metric queries: numbers of log lines over time, by series."""
