"""Compaction: merges many small blocks into few large ones, without changing any event or answer."""
