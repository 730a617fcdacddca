"""The options of a store; plain values from the configuration."""

from pathlib import Path

from logboom.base.structs import InternalStruct

MAX_FIELDS_PER_BLOCK = 2000
INDEX_CACHE_BYTES = 64 << 20


class StoreOptions(InternalStruct, frozen=True):
    """All options of a store."""

    data_dir: Path
    flush_secs: float = 5.0
    flush_rows: int = 50_000
    checkpoint_commits: int = 100
    max_fields: int = MAX_FIELDS_PER_BLOCK
    idempotency_hours: float = 24.0
    idempotency_bytes: int = 64 * 1024 * 1024
    index_cache_bytes: int = INDEX_CACHE_BYTES
    compaction_secs: float | None = None
    """How often to look for blocks to merge; None: only on request."""
