"""Hits: which events are shown, in which order, and what is shown of each."""
