"""Who may do what, and how the service is set: accounts, keys, tokens, environments, settings, as sealed documents.

Synchronous and free of HTTP. `control.Control` is the way in.
"""
