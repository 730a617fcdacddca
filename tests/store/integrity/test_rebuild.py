"""An index that is made again from its block says what the first one said."""

import json
import random
from pathlib import Path

from tests.store.integrity.damaging import find_index, ignore_memory, keep_events, newest_block
from tests.store.stores import make_batch, make_store, opened

from logboom.store.block.encoding import decode_index
from logboom.store.integrity.rebuild import rebuild_index
from logboom.store.store import Store

NAMES = ("message", "source", "a", "b", "_c", "d:int", "*e", "index")
VALUES: tuple[object, ...] = (
    *("", "x", "Ünïcode", "a longer text", "K"),
    *(0, 1, -(2**63), 2**63 - 1, 0.0, -0.0, 1e300, 1.5, True, False, None),
    *([], ["x"], [1, 2], ["x", 1], [True], [0.5, 1], {"inner": "x"}),
)


def check_rebuilt(store: Store, data: bytes) -> None:
    store.submit(make_batch(data)).result()
    store.flush().result()
    info = newest_block(store)
    first = decode_index(find_index(store, info).read_bytes(), "index")
    assert ignore_memory(rebuild_index(store.objects, info)) == ignore_memory(first)


def test_a_rebuilt_index_says_the_same(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store, index="{{service}}")
        first = decode_index(find_index(store, info).read_bytes(), "index")
        assert len(first.indexes) == 5
        assert ignore_memory(rebuild_index(store.objects, info)) == ignore_memory(first)


def test_fields_beyond_the_limit_of_a_block_are_counted(tmp_path: Path) -> None:
    store = make_store(tmp_path, max_fields=10)
    with opened(store):
        check_rebuilt(store, b"\n".join(b'{"f%d":%d}' % (number, number) for number in range(30)))


def test_whatever_the_events_hold(tmp_path: Path) -> None:
    chance = random.Random(1)
    with opened(make_store(tmp_path)) as store:
        for _ in range(30):
            lines = [
                {name: chance.choice(VALUES) for name in chance.sample(NAMES, 4)}
                for _ in range(chance.randrange(1, 40))
            ]
            check_rebuilt(store, "\n".join(map(json.dumps, lines)).encode())
