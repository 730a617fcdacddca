"""Metric queries: series, operations on them, and how they are drawn."""
