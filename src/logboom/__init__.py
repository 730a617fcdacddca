"""Logboom: log ingestion and search, any shipper in, plain Parquet underneath."""

__version__ = "0.1.0"
