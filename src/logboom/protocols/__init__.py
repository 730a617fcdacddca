"""Ingest over HTTP: one short file for each protocol, all of them writing to the same sink."""
