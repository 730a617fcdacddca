"""The result of one request, line by line."""

from collections.abc import Sequence

from msgspec import field

from logboom.base.structs import InternalStruct
from logboom.model.batch import Batch
from logboom.model.jsonline import parse_object


class Receipt(InternalStruct, frozen=True):
    """Everything that was accepted is durable.

    `refused` and `unparsed` are line numbers, from 0, over all non-blank lines of the request: `refused` lines asked
    for an index that the sender may not write and are not stored; `unparsed` lines are not JSON objects and are
    stored as messages. `unparsed` is filled only for an itemised delivery.
    """

    ingested: int
    errors: int
    partitions: list[str]
    throttled: bool = False
    refused: list[int] = field(default_factory=list)
    unparsed: list[int] = field(default_factory=list)


class Tally:
    """What a request has brought so far."""

    def __init__(self) -> None:
        self.ingested = 0
        self.errors = 0
        self.size_bytes = 0
        """Of the admitted lines."""
        self.partitions: set[str] = set()
        self.refused: list[int] = []
        self.unparsed: list[int] = []
        self._lines = 0

    def add(
        self, batch: Batch, refused: Sequence[int], unparsed: Sequence[int], faults: int = 0
    ) -> None:
        """Count a batch of admitted lines, of which `faults` failed.

        The line numbers count admitted and refused lines together.
        """
        errors = batch.scan.errors + faults
        self.ingested += max(len(batch) - errors, 0)
        self.errors += errors + len(refused)
        self.size_bytes += len(batch.data)
        self.partitions |= batch.partitions
        self.refused += [self._lines + place for place in refused]
        self.unparsed += [self._lines + place for place in unparsed]
        self._lines += len(batch) + len(refused)

    def blame(self, error: str) -> list[dict[str, str]]:
        """Return one write error for each partition that the request would have written."""
        return [{"partition": partition, "error": error} for partition in sorted(self.partitions)]

    def make_receipt(self, *, throttled: bool) -> Receipt:
        partitions = sorted(self.partitions)
        return Receipt(
            self.ingested, self.errors, partitions, throttled, self.refused, self.unparsed
        )


def list_unparsed(batch: Batch) -> list[int]:
    """Return the lines of a batch that are not JSON objects; most batches have none and are not scanned again."""
    if not batch.scan.errors:
        return []
    spans = zip(batch.scan.starts, batch.scan.ends, strict=True)
    return [
        place
        for place, (start, end) in enumerate(spans)
        if parse_object(batch.data[start:end]) is None
    ]
