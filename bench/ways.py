"""Measures CPU per event of several ways to ingest, compared with the first one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.client import Client, WrongAnswerError
from bench.load import BATCH, CLIENTS, NATIVE_PATH, NATIVE_TYPE, send
from bench.process import serve
from bench.report import Figure
from bench.workbench import Workbench, note

EVENTS = 200_000
ROUNDS = 3


@dataclass(frozen=True)
class Way:
    """Where bodies go, how they are made of NDJSON, and what they may cost beside the first way.

    `proof` is a query that finds every event if all of them were understood.
    """

    path: str
    content_type: str
    encode: Callable[[bytes], bytes]
    target: float
    proof: str = "*"


NDJSON = Way(NATIVE_PATH, NATIVE_TYPE, lambda body: body, target=1.0)


def compare(workbench: Workbench, measure: str, ways: Mapping[str, Way]) -> list[Figure]:
    """Measure all of them alternately with NDJSON, so that a busy machine affects all."""
    events = min(EVENTS, workbench.mixed.events)
    spent_s: dict[str, list[float]] = {name: [] for name in (measure, *ways)}
    for number in range(ROUNDS):
        for name, several in spent_s.items():
            note(f"{events:,} events as {name}, round {number + 1}")
            several.append(load(workbench, ways.get(name, NDJSON), events))
    best_us = {name: min(several) / events * 1e6 for name, several in spent_s.items()}
    return [
        Figure(
            name=f"ingest CPU, {name}",
            value=best_us[name] / best_us[measure],
            unit=f"x {measure}",
            target=way.target,
            detail=f"{best_us[name]:.2f} us per event, {measure} {best_us[measure]:.2f} us",
            method="server user+system time from before the first request until the flush is answered, in bodies "
            f"of {BATCH:,} events; in turns with {measure} of as many events, best of {ROUNDS} each",
        )
        for name, way in ways.items()
    ]


def load(workbench: Workbench, way: Way, events: int) -> float:
    """Return the CPU seconds that a fresh server takes for all events."""
    bodies = map(way.encode, workbench.mixed.bodies(BATCH, events))
    with serve(workbench.make_directory(), {}) as server:
        token = server.set_up()
        server.settle()
        before_s = server.cpu_s()
        send(server, bodies, CLIENTS, way.path, way.content_type)
        client = server.connect(token)
        client.flush()
        cpu_s = server.cpu_s() - before_s
        check_understood(client, way.proof, events)
    return cpu_s


def check_understood(client: Client, proof: str, events: int) -> None:
    found = client.search(f"{proof} | stats count", 1)["rows"][0]["count"]
    if found != events:
        raise WrongAnswerError(f"{found} events of {events} are found by {proof}")
