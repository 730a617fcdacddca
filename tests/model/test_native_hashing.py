"""The compiled shredder's hash tables: keys made to collide by a hash without a seed cost no more than others."""

import json
import os
import string
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count, islice, product

from tests.model.twins import make_batches, open_native, shred_both

from logboom.model.summary import hash_value

OFFSET, PRIME, MASK = 14695981039346656037, 1099511628211, (1 << 64) - 1
WINDOW = 64
"""Places of a table beside each other that the keys made to collide compete for."""
FEW_COLLISIONS = 100
DATA = [bytes(range(length)) for length in range(1, 64)]

native = open_native()
hash_with_seed: Callable[[bytes, bytes], int] = import_module(
    "logboom.model._native"
).hash_with_seed


def test_the_hash_is_siphash() -> None:
    """CPython hashes bytes with SipHash-1-3, and with a seed of zeros when asked for none."""
    code = f"import sys; print(sys.hash_info.algorithm, *(hash(data) for data in {DATA!r}))"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        check=True,
    )
    algorithm, *hashes = found.stdout.split()
    assert algorithm == b"siphash13"
    assert [hash_with_seed(bytes(16), data) for data in DATA] == [
        int(number) % 2**64 for number in hashes
    ]


def test_another_seed_is_another_hash() -> None:
    seeds = [bytes([1, *bytes(15)]), bytes([*bytes(15), 1])]
    assert len({hash_with_seed(seed, b"key") for seed in [bytes(16), *seeds]}) == 3


def fnv(number: int, values: Iterator[int] | bytes) -> int:
    for value in values:
        number = (number ^ value) * PRIME & MASK
    return number


def craft_texts(places: int) -> Iterator[str]:
    """Texts that FNV puts next to each other in a table."""
    letters = string.ascii_lowercase.encode()
    for head in product(letters, repeat=3):
        start = fnv(OFFSET, bytes(head))
        for tail in product(letters, repeat=3):
            number = fnv(start, bytes(tail))
            if (number ^ number >> 32) % places < WINDOW:
                yield bytes(head + tail).decode()


def test_colliding_keys() -> None:
    keys = list(islice(craft_texts(1 << 18), 250))
    lines = [json.dumps({key: number}).encode() for number, key in enumerate(keys)]
    shredder = open_native()
    shred_both(shredder, make_batches(shredder, [b"\n".join(lines * 2)]))
    assert shredder.collisions < FEW_COLLISIONS  # type: ignore[attr-defined]


def craft_shapes(number: int = OFFSET, types: str = "") -> Iterator[str]:
    """Types of the keys of an event whose signatures FNV puts next to each other in a table."""
    if len(types) == 20:
        number = fnv(number, iter([0]))
        if (number ^ number >> 32) % (1 << 17) < WINDOW:
            yield types
        return
    for code, letter in enumerate("si"):
        token = len(types) + 1 << 5 | code
        yield from craft_shapes(fnv(number, iter([token])), types + letter)


def test_colliding_shapes() -> None:
    events = [
        {f"k{place:02}": "text" if letter == "s" else 1 for place, letter in enumerate(types)}
        for types in islice(craft_shapes(), 150)
    ]
    lines = [json.dumps(event).encode() for event in events]
    shredder = open_native()
    shred_both(shredder, make_batches(shredder, [b"\n".join(lines * 2)]))
    assert shredder.collisions < FEW_COLLISIONS  # type: ignore[attr-defined]


def test_colliding_values() -> None:
    """More of them than a table looks at places for one: they are counted only if they are spread."""
    texts = (f"value-{number}" for number in count())
    crowded = (text for text in texts if hash_value(text) % 1024 < WINDOW)
    lines = [json.dumps({"a": text}).encode() for text in islice(crowded, 250)]
    rows = shred_both(native, make_batches(native, [b"\n".join(lines * 2)]))
    assert rows.summaries["a"].values is not None
