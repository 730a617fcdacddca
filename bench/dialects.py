"""Measures how many queries of other languages are translated correctly, and how long that takes.

`bench/dialects/<name>.txt` holds queries from public documentation, dashboards and rules:

    # origin: the page or repository that the queries below come from
    a query on one line
        its right canonical form, or `refused: ` and a part of the message
"""

import statistics
import time
import timeit
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.report import Figure
from bench.workbench import Workbench, note
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query
from logboom.lang.parse import parse, read

CORPORA = Path(__file__).with_suffix("")
TARGETS = {"kql": 99.0, "datadog": 99.0, "spl": 85.0, "logsql": 80.0, "logql": 85.0}
"""Percent of the queries that are to be read with the right meaning."""
MAX_PARSE_US = 100.0
REFUSED = "refused: "
INDENT = "    "
SHOWN = 10
TYPICAL = (
    "connection refused",
    "level:error service:api status>=500",
    "level:error | stats count by host | sort -count | limit 10",
    "index=web status>=500 | timechart span=5m count by host",
    "@http.status_code:>=500 -service:web env:prod",
    "_time:5m error | stats by (host) count() hits",
    '{app="nginx"} |= "error" | json | status >= 500',
    'sum by (host) (rate({app="nginx"} |= "error" [5m]))',
)
"""What people type, of every language."""
ROUNDS = 200


class Entry(NamedTuple):
    """A query and what is expected of it: its canonical form, or a part of the message that refuses it."""

    query: str
    expected: str


def measure_dialects(_workbench: Workbench) -> list[Figure]:
    return [*map(measure_corpus, sorted(CORPORA.glob("*.txt"))), measure_parsing()]


def measure_corpus(path: Path) -> Figure:
    """Return the share of the queries that are translated as the file says, without those to be refused."""
    entries = list(read_entries(path))
    outcomes = Counter(judge(entry) for entry in entries)
    for entry in [entry for entry in entries if judge(entry) == "wrong"][:SHOWN]:
        note(f"{path.stem}: not as expected: {entry.query}")
    return Figure(
        f"dialect {path.stem}",
        100 * outcomes["right"] / len(entries),
        "%",
        f"share of the queries in bench/dialects/{path.name} that are read with their right meaning",
        TARGETS.get(path.stem),
        at_least=True,
        detail=f"{len(entries)} queries, {outcomes['refused']} refused, {outcomes['wrong']} wrong",
    )


def read_entries(path: Path) -> Iterator[Entry]:
    query: str | None = None
    for line in path.read_text().splitlines():
        if line.startswith(INDENT) and query is not None:
            yield Entry(query, line.strip())
            query = None
        elif line and not line.startswith("# "):
            query = line


def judge(entry: Entry) -> str:
    """Return `right`, `refused` where that is expected, else `wrong`."""
    is_refused = entry.expected.startswith(REFUSED)
    try:
        query = parse(entry.query)
    except InvalidQuery as error:
        reason = entry.expected.removeprefix(REFUSED)
        return "refused" if is_refused and reason in error.message else "wrong"
    return "right" if format_query(query) == entry.expected and not is_refused else "wrong"


def measure_parsing() -> Figure:
    times_us = {query: time_reading(query) for query in TYPICAL}
    slowest = max(times_us, key=times_us.__getitem__)
    return Figure(
        "parse",
        statistics.median(times_us.values()),
        "us",
        f"median of {len(TYPICAL)} typical queries, CPU time, each the best of 5 times {ROUNDS} readings",
        MAX_PARSE_US,
        detail=f"slowest {times_us[slowest]:.0f} us: {slowest}",
    )


def time_reading(query: str) -> float:
    """Return the microseconds of CPU time for one reading, notices included."""
    rounds = timeit.repeat(lambda: read(query), timer=time.thread_time, number=ROUNDS, repeat=5)
    return min(rounds) / ROUNDS * 1e6
