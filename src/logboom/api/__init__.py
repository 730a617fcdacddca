"""The native HTTP API: one file per subject, each with a table of its routes."""
