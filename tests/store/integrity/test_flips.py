"""One flipped bit anywhere in a data directory: the same answers, or a damage that is named. Never silence."""

import logging
import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.running import JWT_SECRET
from tests.store.integrity.damaging import flip, keep_events, list_flips
from tests.store.stores import (
    HandClock,
    checkpoint,
    copy_directory,
    make_answer,
    make_store,
    opened,
    say,
)

import logboom
from logboom.base.errors import LogboomError
from logboom.base.stores.local import LocalObjects
from logboom.control.control import Control
from logboom.store.companions import Companions
from logboom.store.store import Store

KINDS = {
    "block": "store/blocks/*/*.parquet",
    "index": "store/blocks/*/*.index",
    "commit": "store/_delta_log/*.json",
    "checkpoint": "store/_delta_log/*.checkpoint.parquet",
    "pointer": "store/_delta_log/_last_checkpoint",
    "wal": "wal/*.wal",
    "journal": "idempotency.log",
    "node": "node",
    "claim": "claim",
    "control": "store/control/*/*",
}
QUERIES = ("number:* OR message:*", "number>=0 | stats sum(number), count by service")
FLIPS = 8
SOAK_FLIPS = 400


@dataclass(frozen=True)
class State:
    """All that can be asked of a data directory."""

    answers: list[list[dict[str, Any]]]
    keys: list[bool]
    marks: list[int | None]
    users: list[str]


@dataclass
class Outcome:
    """What came of opening a directory: a state, or an error, and what was said on the way."""

    state: State | None
    named: list[str]


def fill(data: Path) -> None:
    """Events in blocks, in the write-ahead log, under keys and with marks; users; a checkpoint and commits since."""
    with opened(make_store(data)) as store:
        keep_events(store)
        answered = Companions(make_answer("journalled"), {"files.a": 7})
        store.submit(say("with a key"), answered).result()
        store.flush().result()
        control = Control.open(LocalObjects(data / "store"), None, JWT_SECRET, HandClock())
        control.setup("somebody", "correct horse battery")


def fill_log(data: Path, copy: Path) -> Path:
    """A copy of the directory as a process leaves it that dies with events in its log."""
    checkpoint(data / "store")
    with opened(make_store(data)) as store:
        store.submit(say("after the checkpoint")).result()
        store.flush().result()
        store.submit(say("first in the log"), Companions(make_answer("logged"))).result()
        store.submit(say("second in the log"), Companions(None, {"files.b": 8})).result()
        return copy_directory(data, copy)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("filled")
    fill(root / "data")
    return fill_log(root / "data", root / "copy")


def read_state(store: Store) -> Iterator[Any]:
    with logboom.open(store.options.data_dir) as logs:
        for query in QUERIES:
            results = logs.search(query, limit=2000)
            yield results.rows
            yield [] if results.complete else [str(each) for each in results.warnings]


def inspect(data: Path, caplog: pytest.LogCaptureFixture) -> Outcome:
    """Open the directory, and ask it everything."""
    caplog.clear()
    named: list[str] = []
    state = None
    try:
        with opened(make_store(data)) as store:
            first, said, second, said_too = read_state(store)
            named += [*said, *said_too]
            control = Control.open(store.objects, None, JWT_SECRET, HandClock())
            state = State(
                [first, second],
                [store.answers.find(key) is not None for key in ("journalled", "logged")],
                [store.find_mark(name) for name in ("files.a", "files.b")],
                [user.username for user in control.users.list()],
            )
    except LogboomError as error:
        named.append(error.message)
    named += [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    return Outcome(state, named)


def list_damage(
    filled: Path, pattern: str, count: int, seed: int
) -> Iterator[tuple[Path, int, int]]:
    """Files of a kind, and places in them: every part of every file has its turn."""
    files = sorted(path for path in filled.glob(pattern) if path.is_file())
    assert files, pattern
    each = max(count // len(files), 2)
    places = [(path, *place) for path in files for place in list_flips(path, each, seed)]
    return iter(random.Random(seed).sample(places, min(count, len(places))))


def check_flips(
    filled: Path, work: Path, kind: str, count: int, caplog: pytest.LogCaptureFixture
) -> None:
    expected = inspect(copy_directory(filled, work / "whole"), caplog)
    assert expected.state is not None
    assert expected.named == []
    for file, offset, bit in list_damage(filled, KINDS[kind], count, seed=1):
        data = copy_directory(filled, work / "damaged")
        flip(data / file.relative_to(filled), offset, bit)
        outcome = inspect(data, caplog)
        place = f"bit {bit} of byte {offset} of {file.relative_to(filled)}"
        assert outcome.state == expected.state or outcome.named, place
        if outcome.named:
            # What could be opened once can be opened again, and what could not still says why.
            again = inspect(data, caplog)
            assert again.state is not None or again.named, place
            assert (again.state is None) == (outcome.state is None), place
        shutil.rmtree(data)


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_bit_changes_nothing_in_silence(
    filled: Path, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    check_flips(filled, tmp_path, kind, FLIPS, caplog)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_no_flipped_bit_changes_anything_in_silence(
    filled: Path, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    check_flips(filled, tmp_path, kind, SOAK_FLIPS, caplog)


@pytest.mark.parametrize("kind", ["block", "index"])
def test_damage_of_blocks_stops_nothing_else(
    filled: Path, tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    data = copy_directory(filled, tmp_path / "damaged")
    for file in data.glob(KINDS[kind]):
        with suppress(FileNotFoundError):
            flip(file, file.stat().st_size // 2)
    outcome = inspect(data, caplog)
    assert outcome.state is not None
    messages = {row.get("message") for row in outcome.state.answers[0]}
    assert {"first in the log", "second in the log"} <= messages, "what came after is as it was"
    assert outcome.state.users == ["somebody"]
    assert any("rebuilt" in each or "damaged" in each for each in outcome.named)
