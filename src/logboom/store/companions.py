"""What becomes durable together with a batch."""

from types import MappingProxyType
from typing import NamedTuple

from logboom.store.catalog.marks import Marks
from logboom.store.idempotency.memory import IngestAnswer


class Companions(NamedTuple):
    """The answer that the batch's sender got, and marks that are set with it."""

    answer: IngestAnswer | None = None
    marks: Marks = MappingProxyType({})


ALONE = Companions()
