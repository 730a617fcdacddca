"""Blocks: immutable Parquet files of events, each with a small index beside it."""
