"""What becomes durable together with a batch, or not at all."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from logboom.store.answers import Answer

Marks = Mapping[str, int]
"""How far somebody has come in something, by name: a reader of a file, in bytes."""


class Companions(NamedTuple):
    """The answer that the batch's sender got, and marks that are set with it."""

    answer: Answer | None = None
    marks: Marks = MappingProxyType({})


ALONE = Companions()
