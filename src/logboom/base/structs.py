"""Prepares the types of decoded documents before threads start.

msgspec inspects a type on its first use. If two threads do this at the same moment the process may crash, because the
second finds the type half prepared.
"""

from collections.abc import Iterator

import msgspec


class InternalStruct(msgspec.Struct, frozen=True):
    """A struct that is never decoded from a document, so that it needs no preparation.

    Such a class takes a thirtieth of the time of a frozen dataclass to define, which a server does hundreds of times
    at its start.
    """


class MutableStruct(msgspec.Struct):
    """An `InternalStruct` that may change."""


def prepare_structs() -> None:
    """Prepare all types imported so far; call it before threads start to decode."""
    for kind in list_structs(msgspec.Struct):
        try:
            msgspec.json.Decoder(kind)
        except TypeError:
            # It has members that cannot be decoded, so it is never used for documents.
            continue


def list_structs(base: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    """Yield the structs that documents may be decoded to."""
    for kind in base.__subclasses__():
        if kind not in {InternalStruct, MutableStruct}:
            yield kind
            yield from list_structs(kind)
