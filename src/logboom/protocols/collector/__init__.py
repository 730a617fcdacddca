"""The event collector."""
