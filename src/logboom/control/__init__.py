"""Accounts, keys, tokens, environments, settings and saved objects, stored as sealed documents.

Synchronous and independent of HTTP. `control.Control` is the entry point.
"""
