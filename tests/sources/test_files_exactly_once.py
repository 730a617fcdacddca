"""Any history of a log that is written, rotated and read: each whole line exactly once, in its file's order."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.sources.histories import History
from tests.sources.pulling import pulling

from logboom.sources.files import identity, passes, reading

Step = Callable[[History], object]

CHANGES: dict[str, Step] = {
    "short": lambda history: history.write(3),
    "line": lambda history: history.write(60),
    "long": lambda history: history.write(150),
    "half": lambda history: history.begin(20),
    "late": lambda history: history.write_late(30),
    "rename": History.rename,
    "copy": lambda history: history.copy(is_slow=False),
    "copy slowly": lambda history: history.copy(is_slow=True),
    "gzip": lambda history: history.pack("gz", is_slow=False),
    "zstd slowly": lambda history: history.pack("zst", is_slow=True),
    "rewrite": History.rewrite,
    "cut": History.cut,
    "shorten": History.shorten,
    "replace end": History.replace_end,
    "delete": History.delete,
    "reset": History.reset,
}
POLLS: dict[str, Step] = {
    "none": lambda _: None,
    "poll": History.poll,
    "polls": lambda history: history.poll(3),
    "break at 1": lambda history: history.break_off(1),
    "break at 2": lambda history: history.break_off(2),
}
LIVES: dict[str, Step] = {
    "same": lambda _: None,
    "flush": History.flush,
    "forget": History.forget,
    "crash": History.crash,
    "flush and crash": lambda history: history.crash(is_flushed=True),
}
SMALL = [
    *((reading, "PIECE_LINES", 2), (passes, "BATCH_LINES", 2)),
    *((passes, "HEAD_BYTES", 100), (identity, "HEAD_BYTES", 100), (identity, "TAIL_BYTES", 16)),
]
"""With these a few short lines are many deliveries, and more than a file is known by."""
WRITES = ["short", "line", "long", "half"]
ROUND = st.tuples(
    st.lists(st.sampled_from(WRITES), max_size=2),
    st.sampled_from(list(CHANGES)),
    st.sampled_from(["none", "poll", "poll", "polls", "break at 1", "break at 2"]),
    st.sampled_from(["same", "same", "flush", "forget", "crash", "flush and crash"]),
)


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rounds=st.lists(ROUND, min_size=3, max_size=8))
def test_each_line_is_read_once_whatever_happens_to_its_file(
    monkeypatch: pytest.MonkeyPatch, rounds: list[tuple[list[str], str, str, str]]
) -> None:
    # A crash is a copy of what was written: it need not be on the disk.
    monkeypatch.setattr(os, "fsync", lambda _: None)
    for module, name, small in SMALL:
        monkeypatch.setattr(module, name, small)
    with tempfile.TemporaryDirectory() as folder, pulling(Path(folder), "app.log*") as bed:
        history = History(bed)
        for writes, change, poll, life in rounds:
            for name in writes:
                CHANGES[name](history)
            CHANGES[change](history)
            POLLS[poll](history)
            LIVES[life](history)
        history.check()
