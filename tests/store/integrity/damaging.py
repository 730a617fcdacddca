"""Stores with events of many shapes, and ways to damage their files."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
from tests.store.stores import make_batch

from logboom.store.block.index import BlockIndex
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.store import Store

EVENTS: list[dict[str, object]] = [
    {
        "message": f"request {number} took {number * 7} ms",
        "service": f"service-{number % 5}",
        "number": number,
        "ratio": number / 7,
        "is_slow": number % 3 == 0,
        "tags": [f"tag-{number % 4}", "all"],
        "numbers": [number, -number],
        "id": f"{number:032x}",
        "odd:name": "a colon",
        "_own": "an underscore",
        **({"level": "error"} if number % 10 == 0 else {}),
        "mixed": number if number % 2 else f"text {number}",
    }
    for number in range(400)
]
"""Columns of every kind, with few and with many values, on some events only."""


def keep_events(store: Store, env: str = "default", index: str = "default") -> BlockInfo:
    """Return one block of all events."""
    data = "\n".join(map(json.dumps, EVENTS)).encode()
    store.submit(make_batch(data, env=env, index=index)).result()
    store.flush().result()
    return newest_block(store)


def newest_block(store: Store) -> BlockInfo:
    return max(store.snapshot().list_blocks(), key=lambda block: block.path)


def find_file(store: Store, info: BlockInfo) -> Path:
    return Path(store.objects.locate(info.path))


def find_index(store: Store, info: BlockInfo) -> Path:
    return Path(store.objects.locate(name_index(info.path)))


def flip(path: Path, offset: int, bit: int = 0) -> None:
    """Change one bit of a file, in place."""
    with path.open("r+b") as file:
        file.seek(offset)
        (byte,) = file.read(1)
        file.seek(offset)
        file.write(bytes([byte ^ 1 << bit]))


def list_flips(path: Path, count: int, seed: int = 1) -> Iterator[tuple[int, int]]:
    """Return positions spread evenly over a file, each with the number of a bit."""
    size, chance = path.stat().st_size, random.Random(seed)
    for part in range(count):
        first, last = (
            part * size // count,
            max((part + 1) * size // count, part * size // count + 1),
        )
        yield min(chance.randrange(first, last), size - 1), chance.randrange(8)


def ignore_memory(index: BlockIndex) -> BlockIndex:
    """Return the index without the memory size of rows, which depends on where they come from."""
    zones = [ignore_memory(zone) for zone in index.zones]
    return msgspec.structs.replace(index, memory_bytes=0, zones=zones)
