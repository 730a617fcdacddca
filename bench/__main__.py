"""Runs the measurements and prints their table; exit status 1 only when the server answered wrongly."""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

from bench import (
    ack,
    buckets,
    catalog,
    cluster,
    compaction,
    concurrency,
    cpu,
    dashboards,
    dialects,
    disk,
    flush,
    formats,
    memory,
    pages,
    protocols,
    queries,
    restart,
    sources,
    syslog,
    trickle,
)
from bench.client import WrongAnswerError
from bench.report import Figure, describe_machine, encode_figure, format_table
from bench.workbench import Workbench, note

FEWEST_EVENTS = 1_000

BENCHES: dict[str, Callable[[Workbench], list[Figure]]] = {
    "cpu-mixed": cpu.measure_mixed,
    "cpu-wide": cpu.measure_wide,
    "disk": disk.measure_disk,
    "memory-batches": memory.measure_batches,
    "memory-stream": memory.measure_stream,
    "restart": restart.measure_restart,
    "flush": flush.measure_flush,
    "trickle": trickle.measure_trickle,
    "catalog": catalog.measure_catalog,
    "compaction": compaction.measure_compaction,
    "compaction-memory": compaction.measure_many,
    "protocols": protocols.measure_protocols,
    "formats": formats.measure_formats,
    "syslog": syslog.measure_syslog,
    "sources": sources.measure_sources,
    "dialects": dialects.measure_dialects,
    "queries": queries.measure_queries,
    "concurrency": concurrency.measure_concurrency,
    "pages": pages.measure_pages,
    "dashboards": dashboards.measure_dashboards,
    "buckets": buckets.measure_buckets,
    "cluster": cluster.measure_cluster,
    "ack-small": ack.measure_small,
    "ack-large": ack.measure_large,
}


def main() -> int:
    options = read_options()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        with tempfile.TemporaryDirectory(prefix="logboom-bench-") as directory:
            figures, failures = run(Workbench(Path(directory), options.events), options.only)
    except KeyboardInterrupt:
        note("interrupted, everything is cleaned up")
        return 130
    machine = describe_machine()
    print(" · ".join(f"{name} {value}" for name, value in machine.items()))
    print(f"{options.events:,} mixed events\n\n{format_table(figures)}")
    for name, reason in failures.items():
        print(f"FAILED {name}: {reason}")
    if options.json:
        results = [encode_figure(figure) for figure in figures]
        document = {"machine": machine, "events": options.events, "figures": results}
        options.json.write_text(json.dumps(document | {"failures": failures}, indent=2) + "\n")
    return 1 if failures else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=sys.modules["bench"].__doc__
    )
    parser.add_argument(
        "--events", type=int, default=1_000_000, help="how many mixed events to send"
    )
    parser.add_argument("--only", nargs="+", choices=BENCHES, default=list(BENCHES), metavar="NAME")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the figures here")
    parser.epilog = f"names: {', '.join(BENCHES)}"
    options = parser.parse_args()
    if options.events < FEWEST_EVENTS:
        parser.error(f"--events {options.events} is too few, expected at least {FEWEST_EVENTS}")
    return options


def run(workbench: Workbench, names: list[str]) -> tuple[list[Figure], dict[str, str]]:
    """Return the figures in the order of the table, and the reasons of what failed by name."""
    figures: list[Figure] = []
    failures: dict[str, str] = {}
    for name in names:
        note(name)
        try:
            figures += BENCHES[name](workbench)
        except (WrongAnswerError, HTTPException, OSError, LookupError, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            failures[name] = "\n".join([reason, *getattr(error, "__notes__", [])])
            note(f"{name} failed: {failures[name]}")
    return figures, failures


if __name__ == "__main__":
    sys.exit(main())
