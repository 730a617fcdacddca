"""The native HTTP API: one file a subject, each with its visible table of routes."""
