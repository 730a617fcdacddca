"""Compaction: many small blocks become few large ones, without any event or answer changing."""
