"""Telling receivers about alerts: what is said, in which form, and over which connection."""
