"""No query takes more memory than it may, whatever it asks for."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.engine.memory.campaign import fill_store
from tests.engine.memory.heavy import PIPES, Pipelines

from logboom.base.process.allocators import JEMALLOC, tune_allocators
from logboom.engine.pipes import PIPES as KNOWN
from logboom.lang.parse import parse

EVENTS, SOAK_EVENTS, SOAK_QUERIES = 4000, 1_000_000, 2000
MESSAGE_BYTES = 1000
QUICK_MB, SOAK_MB = 64, 256
MAX_RSS_MB = 1024
GROWN_MB = 4 * QUICK_MB
"""The budget, and what else a small process that begins to search takes."""
DOUBLED = ", ".join(["x = x & x"] * 24)
GREEDY = {
    "* | eventstats values(message) as v | stats count": "complete",
    "* | eventstats list(message) as v by host | where mvcount(v) > 0 | stats count": "too_large",
    "* | streamstats window=1000 values(message) as v": "too_large",
    "* | streamstats window=1000 approx_count_uniq(uid) as n": "too_large",
    f"* | eval x = message, {DOUBLED} | stats count": "too_large",
    "* | timechart 1s count by uid limit=20000": "incomplete memory",
    "* | timechart 1d list(tags) as t by uid limit=20000": "complete",
    '* | eval x = replace(message, "", "0123456789abcdef") | sort x': "too_large",
    "* | eval x = lpad(message, 10000) | eventstats count | sort x": "incomplete memory",
    '* | rex max_match=0 "(?<c>.)" | mvexpand c | stats count by c': "too_large",
    "* | eval x = lpad(message, 4000) | rare 1000 x": "incomplete memory",
    "* | join level max=0 (* | fields level, message)": "too_large",
    "* | stats list(message) as m by level | mvexpand m | eventstats values(m) as v by level": "incomplete memory",
}
"""Queries that ask for far more than there is, and what becomes of them."""


def run_campaign(directory: Path, memory_mb: int, *arguments: str) -> list[dict[str, Any]]:
    tune_allocators()
    command = [sys.executable, "-m", "tests.engine.memory.campaign", str(directory), str(memory_mb)]
    ended = subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, JEMALLOC: os.environ[JEMALLOC]},
    )
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 0, (ended.stderr[-2000:], lines[-1:])
    return [{**asked, **answered} for asked, answered in zip(lines[::2], lines[1::2], strict=True)]


def test_every_pipe_is_drawn() -> None:
    assert PIPES.keys() == KNOWN.keys()
    for kind in PIPES:
        assert kind in {type(pipe) for pipe in parse(Pipelines(1).draw_pipe(kind)).pipes}


def test_greedy_queries_take_no_more_than_they_may(tmp_path: Path) -> None:
    fill_store(tmp_path, EVENTS, MESSAGE_BYTES)
    found = run_campaign(tmp_path, QUICK_MB, *GREEDY)
    for each, expected in zip(found, GREEDY.values(), strict=True):
        assert each["result"].startswith(expected), each
        assert each["grown_mb"] <= GROWN_MB, each


def test_random_queries_take_no_more_than_they_may(tmp_path: Path) -> None:
    fill_store(tmp_path, EVENTS)
    found = run_campaign(tmp_path, QUICK_MB, "0", "12")
    assert not [each for each in found if each["result"].startswith(("internal", "unavailable"))]
    assert max(each["grown_mb"] for each in found) <= GROWN_MB


@pytest.mark.soak
@pytest.mark.timeout(8 * 3600)
def test_a_campaign_of_heavy_queries_kills_nothing(tmp_path: Path) -> None:
    fill_store(tmp_path, SOAK_EVENTS)
    found = run_campaign(tmp_path, SOAK_MB, "0", str(SOAK_QUERIES))
    assert not [each for each in found if each["result"].startswith(("internal", "unavailable"))]
    assert max(each["peak_mb"] for each in found) <= MAX_RSS_MB
