"""Batches without what the compiled scan keeps beside what the definition says."""

from msgspec.structs import replace

from logboom.model.batch import Batch


def drop_readings(batch: Batch) -> Batch:
    """Return a batch as if the definition had scanned it."""
    return replace(batch, scan=batch.scan._replace(readings=None))
