"""Runs heavy queries in a separate process with a memory limit.

`python -m tests.engine.memory.campaign DIRECTORY MEGABYTES FIRST LAST` asks the queries of these seeds, or those that stand
in their place, and prints two lines for each.
"""

import json
import random
import resource
import string
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
from tests.engine.memory.heavy import Pipelines
from tests.engine.stored import NOW_NS, Stored

from logboom.base.errors import LogboomError
from logboom.base.process.allocators import tune_allocators
from logboom.engine.answers.engine import Engine
from logboom.engine.execution.gate import Gate
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse

ENV = "prod"
BATCH = 50_000
ADDRESS_BYTES = 3 << 30
TIMEOUT_S = 8.0
MB = 1 << 20
HOSTS = pl.DataFrame({"host": [f"web-{n}" for n in range(50)], "owner": ["team"] * 50})
LEVELS = ("debug", "info", "info", "warn", "error")
WORDS = ["".join(random.Random(n).choices(string.ascii_lowercase, k=7)) for n in range(500)]


def make_event(number: int, drawn: random.Random) -> dict[str, Any]:
    return {
        "timestamp": NOW_NS + number * 10**8,
        "message": f"request {number} {' '.join(drawn.choices(WORDS, k=12))} took {number % 977}ms",
        "level": drawn.choice(LEVELS),
        "host": f"web-{number % 50}",
        "user": f"user-{drawn.randrange(10_000)}",
        "uid": f"{number:032x}",
        "code": drawn.choice((200, 200, 404, 500)),
        "n": number % 1000,
        "size": drawn.random() * 1e6,
        "url": f"/shop/{number % 300}/item",
        "tags": drawn.sample(WORDS, 4),
        "ids": [number, number + 1],
        "blob": json.dumps({"items": [number % 7] * 4, "name": WORDS[number % 500]}),
    }


def fill_store(root: Path, events: int, message_bytes: int = 0) -> None:
    """Store events in blocks as a service would make them, with `message_bytes` added to each message."""
    stored = Stored(root)
    drawn = random.Random(1)
    for start in range(0, events, BATCH):
        made = [make_event(number, drawn) for number in range(start, min(start + BATCH, events))]
        for event in made:
            event["message"] += "x" * message_bytes
        stored.keep(ENV, made)
    stored.close()


def ask(engine: Engine, query: str) -> str:
    """Run a query, and return its outcome in a word."""
    try:
        request = Request(parse(query), (ENV,), now_ns=NOW_NS + 10**14, tables={"hosts": HOSTS})
        answer = engine.search(request)
    except LogboomError as error:
        return f"{error.code} {error.message[:160]}"
    codes = sorted({str(warning["code"]) for warning in answer.warnings})
    return "complete" if answer.complete else f"incomplete {' '.join(codes)}"


def run(root: Path, memory_bytes: int, queries: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Print each query before it runs, and then its outcome and the peak memory of the process."""
    stored = Stored(root)
    limits = Limits(timeout_s=TIMEOUT_S, memory_bytes=memory_bytes)
    with ThreadPoolExecutor(2) as pool:
        engine = Engine(stored.store, pool, limits, Gate(4, 4, TIMEOUT_S), memory_bytes)
        for query in queries:
            yield {"query": query}
            Path("/proc/self/clear_refs").write_text("5")
            before_mb, started_s = read_mb("VmRSS"), time.monotonic()
            result = ask(engine, query)
            yield {
                "result": result,
                "took_s": round(time.monotonic() - started_s, 2),
                "peak_mb": read_mb("VmHWM"),
                "grown_mb": read_mb("VmHWM") - before_mb,
                "address_mb": read_mb("VmSize"),
            }
    stored.close()


def read_mb(name: str) -> int:
    """Return a figure of this process, by the name that the kernel has for it."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if name in line) // 1024


def list_queries(arguments: list[str]) -> list[str]:
    """Return the queries of seeds, from one to before another, or those that are given."""
    if len(arguments) == 2 and all(map(str.isdecimal, arguments)):
        return [Pipelines(seed).draw() for seed in range(*map(int, arguments))]
    return arguments


if __name__ == "__main__":
    # Like the service; the options of the other allocator come with the environment.
    tune_allocators()
    directory, memory_mb, *rest = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    for line in run(Path(directory), int(memory_mb) * MB, list_queries(rest)):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
