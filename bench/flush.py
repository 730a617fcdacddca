"""Measures what it costs to flush rows of very many indexes, or of very many days, instead of one."""

from datetime import date, timedelta
from itertools import islice
from statistics import median

from bench.client import WrongAnswerError
from bench.corpora import make_mixed
from bench.process import Server, serve
from bench.report import Figure
from bench.workbench import Workbench

ROWS = 50_000
INDEXES = 1_000
BATCH = 10_000
ROUNDS = 5
TARGET_RATIO = 1.5
DAYS = 1_000
FIRST_DAY = date(2024, 1, 1)
TARGET_BLOCK_MS = 2
ONLY_WHEN_ASKED = {
    "SERVICE_BLOCK_FLUSH_SECS": "3600",
    "SERVICE_BLOCK_FLUSH_ROWS": str(ROWS * 100),
    "SERVICE_COMPACTION": "off",
}

Case = tuple[list[bytes], str]
"""Bodies, and the index they are sent to."""


def measure_flush(workbench: Workbench) -> list[Figure]:
    with serve(workbench.make_directory(), ONLY_WHEN_ASKED) as server:
        token = server.set_up()
        return [measure_indexes(server, token), measure_days(server, token)]


def measure_indexes(server: Server, token: str) -> Figure:
    bodies = make_bodies()
    single_s, spread_s = measure_in_turns(
        server, token, (bodies, "{{single}}"), (bodies, "{{spread}}")
    )
    return Figure(
        name=f"flush of {INDEXES:,} indexes",
        value=spread_s / single_s,
        unit="x one index",
        target=TARGET_RATIO,
        detail=f"{spread_s * 1e3:.0f} ms against {single_s * 1e3:.0f} ms CPU",
        method=f"CPU of /api/admin/flush with {ROWS:,} rows of {INDEXES:,} indexes waiting, over the same "
        f"rows in one index, medians of {ROUNDS}",
    )


def measure_days(server: Server, token: str) -> Figure:
    one, many = make_days(1), make_days(DAYS)
    one_s, many_s = measure_in_turns(server, token, ([one], "app"), ([many], "app"))
    return Figure(
        name="flush, each further day",
        value=(many_s - one_s) / (DAYS - 1) * 1e3,
        unit="ms CPU",
        target=TARGET_BLOCK_MS,
        detail=f"{many_s * 1e3:.0f} ms against {one_s * 1e3:.0f} ms CPU",
        method=f"CPU of /api/admin/flush with {DAYS:,} short events of as many days waiting, less that of "
        f"events of one day, for each block beyond the first; medians of {ROUNDS}",
    )


def measure_in_turns(server: Server, token: str, first: Case, second: Case) -> tuple[float, float]:
    """Return the medians of both, after a round that does not count."""
    flush_rows(server, token, *first)
    rounds = [
        (flush_rows(server, token, *first), flush_rows(server, token, *second))
        for _ in range(ROUNDS)
    ]
    return median(a for a, _ in rounds), median(b for _, b in rounds)


def make_bodies() -> list[bytes]:
    """Return the same events for both cases: each names an index of many and one index common to all."""
    lines = (
        line[:-2] + b',"spread":"app-%d","single":"app"}\n' % (number % INDEXES)
        for number, line in enumerate(islice(make_mixed(ROWS * 20), ROWS))
    )
    return [b"".join(islice(lines, BATCH)) for _ in range(ROWS // BATCH)]


def make_days(days: int) -> bytes:
    """Return short events that belong to each of the days in turn."""
    return b"".join(
        b'{"ts":"%s","level":"info","message":"job %d done"}\n'
        % ((FIRST_DAY + timedelta(number % days)).isoformat().encode(), number)
        for number in range(DAYS)
    )


def flush_rows(server: Server, token: str, bodies: list[bytes], index: str) -> float:
    """Send the rows, wait until the server rests, then flush them; return the flush's CPU seconds."""
    client = server.connect(token)
    for body in bodies:
        client.ingest(body, index)
    client.close()
    server.settle()
    before_s = server.cpu_s()
    flushed = server.connect(token).flush()
    used_s = server.cpu_s() - before_s
    rows = sum(body.count(b"\n") for body in bodies)
    if flushed < rows:
        raise WrongAnswerError(f"{flushed} of {rows} rows waited for the flush")
    return used_s
