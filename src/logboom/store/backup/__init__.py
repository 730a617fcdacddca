"""Backups: a copy of a store and of a node's data directory, taken while the service runs, and how it is put back."""
