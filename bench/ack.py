"""Measures how long a client waits until its events are durable, and how many events are ingested per second."""

from statistics import quantiles

from bench.load import BATCH, CLIENTS, Sent, send
from bench.process import serve
from bench.report import Figure
from bench.workbench import Workbench

SMALL_BATCH = 100
SMALL_CLIENTS = 16
SMALL_EVENTS = 200_000


def measure_small(workbench: Workbench) -> list[Figure]:
    bodies = workbench.mixed.bodies(SMALL_BATCH, SMALL_EVENTS)
    with serve(workbench.make_directory(), {}) as server:
        sent = send(server, bodies, SMALL_CLIENTS)
    return describe(SMALL_BATCH, SMALL_CLIENTS, sent)


def measure_large(workbench: Workbench) -> list[Figure]:
    return describe(BATCH, CLIENTS, workbench.loaded_mixed.sent)


def describe(batch: int, clients: int, sent: Sent) -> list[Figure]:
    load = f"batches of {batch:,} from {clients} clients"
    if len(sent.latencies_s) > 1:
        percentiles_ms = [
            cut * 1e3 for cut in quantiles(sent.latencies_s, n=100, method="inclusive")
        ]
    else:
        percentiles_ms = [sent.latencies_s[0] * 1e3] * 99
    return [
        Figure(
            name=f"ack p99, batch {batch:,}",
            value=percentiles_ms[98],
            unit="ms",
            detail=f"p50 {percentiles_ms[49]:.1f} ms, {len(sent.latencies_s):,} requests",
            method=f"request sent until answer read, {load}, the loader on the same machine",
        ),
        Figure(
            name=f"events/s, batch {batch:,}",
            value=sent.events / sent.elapsed_s,
            unit="events/s",
            method=f"events acked per second of wall time, {load}",
        ),
    ]
