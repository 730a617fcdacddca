"""Whatever is asked, the answer is the same before and after blocks are merged."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.engine.languages.test_docs_examples import EVENTS, EXAMPLES, HOSTS
from tests.engine.questions import Questions, make_events
from tests.engine.stored import Stored
from tests.properties import every_third

from logboom.base.errors import LogboomError
from logboom.engine.answers.export import FORMATS
from logboom.engine.terms.request import Request
from logboom.lang.parse import read
from logboom.store.expiry import sweep as sweep_module

NOW_NS = 1_700_000_000_000_000_000
BLOCKS = 7
SEEDS = [range(start, start + 50) for start in (0, 50, 100)]
OWNERS = pl.DataFrame({"key": ["a", "1"], "owner": ["ann", "otto"]})


def make_all_events() -> list[dict[str, Any]]:
    """Events of many shapes; some of different blocks have the same time."""
    shown = [
        {**event, "timestamp": NOW_NS - (number % 4) * 60 * 10**9}
        for number, event in enumerate([*EVENTS, *EVENTS])
    ]
    return [*make_events(), *shown]


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Stored]:
    """One day in several blocks, of two indexes."""
    stored = Stored(tmp_path)
    events = make_all_events()
    for number in range(BLOCKS):
        stored.add("prod", events[number::BLOCKS][::2], index="web")
        stored.keep("prod", events[number::BLOCKS][1::2], index="api")
    yield stored
    stored.close()


def ask(stored: Stored, query: str) -> str:
    """The answer without what it cost, or what is wrong with the question.

    In which order a table shows fields that nobody named depends on the blocks they are in.
    """
    try:
        request = Request(
            read(query).query,
            ("prod",),
            now_ns=NOW_NS + 10**9,
            limit=50,
            tables={"hosts": HOSTS, "owners": OWNERS},
            raw=True,
        )
        answer = stored.engine.search(request)
    except LogboomError as error:
        return str(error)
    shown = [sorted(answer.columns), answer.rows, answer.cursor, answer.complete]
    return json.dumps(shown, sort_keys=True)


def compact(stored: Stored) -> None:
    stored.store.compactor.compact(lambda _: True)
    days = stored.store.snapshot().days["prod"]
    assert all(len(day.blocks) == 1 for day in days.values())


def test_every_example_gets_the_same_answer(stored: Stored) -> None:
    compare(stored, [query for query in EXAMPLES if not query.endswith("| explain")])


@pytest.mark.parametrize("seeds", every_third(SEEDS))
def test_every_question_gets_the_same_answer(stored: Stored, seeds: range) -> None:
    compare(stored, [Questions(seed).write_query() for seed in seeds])


def compare(stored: Stored, queries: list[str]) -> None:
    before = {query: ask(stored, query) for query in queries}
    compact(stored)
    different = {
        query: (before[query], after)
        for query in queries
        if (after := ask(stored, query)) != before[query]
    }
    assert different == {}


def test_an_export_reads_on_from_files_that_were_merged_long_ago(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module, "GRACE_NS", 0)
    whole = b"".join(FORMATS["ndjson"].write(stored.make_finder("prod"), None))
    pieces = FORMATS["ndjson"].write(stored.make_finder("prod"), None)
    old = [block.path for block in stored.store.snapshot().list_blocks()]
    compact(stored)
    assert stored.store.sweeper.delete_files() == 0
    assert b"".join(pieces) == whole
    del pieces
    assert stored.store.sweeper.delete_files() == len(old)


def test_a_query_on_blocks_that_another_node_deleted_is_asked_again(stored: Stored) -> None:
    """As after a long sleep: this node's snapshot names files that are gone."""
    stale = stored.store.snapshot()
    expected = ask(stored, "* | sort n")
    compact(stored)
    for block in stale.list_blocks():
        stored.store.objects.delete(block.path)
        stored.store.objects.delete(block.path.replace(".parquet", ".index"))
    stored.store.catalog.snapshot = stale
    stored.store.indexes.drop([block.path for block in stale.list_blocks()])
    stored.engine.drop([block.path for block in stale.list_blocks()])
    assert ask(stored, "* | sort n") == expected


def test_what_is_remembered_of_merged_blocks_is_forgotten(stored: Stored) -> None:
    ask(stored, "* | stats count by n")
    ask(stored, "m")
    stored.store.on_removed(stored.engine.drop)
    old = {block.path for block in stored.store.snapshot().list_blocks()}
    compact(stored)
    stored.store.refresh()
    assert not old & {key[0] for key in stored.engine.resources.reader.columns._columns}
    assert not old & {key[0] for key in stored.engine.resources.partials._partials}
