"""Backups: copy a store and a node's data directory while the service runs, and restore them."""
