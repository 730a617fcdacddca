"""What the service knows about itself: users, sessions and environments, kept as sealed documents.

Synchronous and free of HTTP. `control.Control` is the way in.
"""
