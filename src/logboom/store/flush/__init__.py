"""From batches to blocks: the buffer, the flusher, and bulk loads."""
