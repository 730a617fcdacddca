"""Grouping: rows by keys, buckets and running windows, and tables of groups with columns from values."""
