"""Shreds while allocations fail one after the other; runs in a process that has `allocations.c` preloaded.

Whatever fails, the compiled shredder raises MemoryError or gives the right rows; it frees what it took, and the
same shredder gives the right rows afterwards. Prints how many allocations failed.
"""

import ctypes
import json
from array import array
from pathlib import Path
from typing import NamedTuple

from logboom.model import _native  # type: ignore[attr-defined]  # compiled, without types
from logboom.model.batch import Batch, Scan, Target
from logboom.model.names import parse_template
from logboom.model.rows import Rows
from logboom.model.shredder import Shredder
from logboom.model.values import Split

library = ctypes.CDLL(None)

VARIED: list[dict[str, object]] = [
    {"ts": "2026-01-02T03:04:05Z", "msg": 'a "quoted" text', "a": 1, "b": 1.5, "c": True, "d": None},
    {"message": "x" * 300, "tags": ["é", "b"], "n": [1, 2], "f": [1.5], "g": [True], "e": []},
    *({"message": f"event {row}", "k": row, "nested": {"s": f"value {row}"}} for row in range(20)),
    {"deep": [{"an": "object"}], "a": 2**70},
]  # fmt: skip
WIDE: list[dict[str, object]] = [{f"field{number}": number for number in range(300)}]
TEMPLATE = parse_template("logs-{{nested.s}}")


def write_lines(events: list[dict[str, object]]) -> bytes:
    lines = [json.dumps(event).encode() for event in events]
    return b"\n".join([*lines, b"no JSON", b'{"a":1,"a":2}'])


class Outcome(NamedTuple):
    scan: Scan
    rows: Rows
    split: Split


def shred(shredder: Shredder, lines: bytes) -> Outcome:
    scan = shredder.scan_lines(lines, 1_700_000_000_000_000_000, TEMPLATE)
    batch = Batch(Target("default", "logs", "a source"), 0, lines, scan, 100)
    rows = shredder.shred_rows([batch], array("q", range(len(scan.starts))), 2000)
    return Outcome(scan, rows, _native.split_values(b'{"a":1} [2] 3 ' * 20, 0, 1000))


def is_same(found: Outcome, expected: Outcome) -> bool:
    return (
        found.scan._replace(readings=None) == expected.scan._replace(readings=None)
        and found.split == expected.split
        and found.rows.summaries == expected.rows.summaries
        and found.rows.frame.equals(expected.rows.frame)
    )


def watch_module() -> None:
    """Tell the library where the compiled module lies."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    spans = [line.split()[0].split("-") for line in maps if line.endswith(_native.__file__)]
    low, high = int(spans[0][0], 16), int(spans[-1][1], 16)
    library.watch(ctypes.c_void_p(low), ctypes.c_void_p(high))


def fail_once(lines: bytes, expected: Outcome, allocation: int, *, is_lasting: bool) -> bool:
    """Let one allocation fail; return whether there was one, and raise an error if its failure did harm."""
    live = library.count_live()
    shredder = _native.Shredder()
    library.fail_after(ctypes.c_long(allocation), is_lasting)
    try:
        found = shred(shredder, lines)
    except MemoryError:
        found = None
    failures = library.count_failures()
    library.fail_after(ctypes.c_long(-1), False)
    assert (found is None) == bool(failures), f"failure of allocation {allocation} went unnoticed"
    assert found is None or is_same(found, expected)
    assert is_same(shred(shredder, lines), expected), f"allocation {allocation} left a trace"
    del found, shredder
    assert library.count_live() == live, f"failure of allocation {allocation} leaked memory"
    return bool(failures)


def fail_each(events: list[dict[str, object]], step: int, *, is_lasting: bool) -> int:
    """Let every `step`th allocation fail in turn; return how many there were."""
    lines = write_lines(events)
    expected = shred(_native.Shredder(), lines)
    allocation = 0
    while fail_once(lines, expected, allocation, is_lasting=is_lasting):
        allocation += step
    return allocation // step


def main() -> None:
    watch_module()
    failures = fail_each(VARIED, 2, is_lasting=False) + fail_each(VARIED, 7, is_lasting=True)
    failures += fail_each(WIDE, 83, is_lasting=False)
    print(failures)  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main()
