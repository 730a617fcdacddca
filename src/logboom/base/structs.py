"""Types of decoded documents, made ready before there are threads.

msgspec looks at a type when it is first used. Two threads that use one for the first time at the same moment may crash
the process: the second finds it half made.
"""

from collections.abc import Iterator

import msgspec


def prepare_structs() -> None:
    """Make every type that was imported so far ready; to be called before threads begin to decode."""
    for kind in list_structs(msgspec.Struct):
        try:
            msgspec.json.Decoder(kind)
        except TypeError:
            # It has members that are not for documents, and so it is never decoded.
            continue


def list_structs(base: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for kind in base.__subclasses__():
        yield kind
        yield from list_structs(kind)
