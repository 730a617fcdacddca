"""What it costs to flush rows of very many indexes instead of one."""

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
ONLY_WHEN_ASKED = {"SERVICE_BLOCK_FLUSH_SECS": "3600", "SERVICE_BLOCK_FLUSH_ROWS": str(ROWS * 100)}


def measure_flush(workbench: Workbench) -> list[Figure]:
    bodies = make_bodies()
    with serve(workbench.make_directory(), ONLY_WHEN_ASKED) as server:
        token = server.set_up()
        flush_rows(server, token, bodies, "{{single}}")
        rounds = [
            (
                flush_rows(server, token, bodies, "{{single}}"),
                flush_rows(server, token, bodies, "{{spread}}"),
            )
            for _ in range(ROUNDS)
        ]
    single_s = median(single for single, _ in rounds)
    spread_s = median(spread for _, spread in rounds)
    return [
        Figure(
            name=f"flush of {INDEXES:,} indexes",
            value=spread_s / single_s,
            unit="x one index",
            target=TARGET_RATIO,
            detail=f"{spread_s * 1e3:.0f} ms against {single_s * 1e3:.0f} ms CPU",
            method=f"CPU of /api/admin/flush with {ROWS:,} rows of {INDEXES:,} indexes waiting, over the same "
            f"rows in one index, medians of {ROUNDS}",
        )
    ]


def make_bodies() -> list[bytes]:
    """The same events for both cases: each names an index of many and one index common to all."""
    lines = (
        line[:-2] + b',"spread":"app-%d","single":"app"}\n' % (number % INDEXES)
        for number, line in enumerate(islice(make_mixed(ROWS * 20), ROWS))
    )
    return [b"".join(islice(lines, BATCH)) for _ in range(ROWS // BATCH)]


def flush_rows(server: Server, token: str, bodies: list[bytes], index: str) -> float:
    """Send the rows, wait until the server rests, then flush them; returns the flush's CPU seconds."""
    client = server.connect(token)
    for body in bodies:
        client.ingest(body, index)
    client.close()
    server.settle()
    before_s = server.cpu_s()
    flushed = server.connect(token).flush()
    used_s = server.cpu_s() - before_s
    if flushed < ROWS:
        raise WrongAnswerError(f"{flushed} of {ROWS} rows waited for the flush")
    return used_s
