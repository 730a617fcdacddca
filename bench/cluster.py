"""Measures queries on a Dask cluster: the overhead if it cannot help, and the gain if reads are slow."""

from tests.buckets import S3Server, make_environment
from tests.engine.cluster.running import Machines, machines

from bench.buckets import running_bucket
from bench.client import Client
from bench.delay import delayed
from bench.expected import Expected
from bench.load import CLIENTS, send
from bench.process import serve
from bench.queries import CASES, REPEATS, ask, expect
from bench.report import Figure
from bench.workbench import Workbench, note

LOCAL_WORKERS, LOCAL_TARGET = 2, 1.3
SLOW_WORKERS, SLOW_TARGET = 8, 0.4
DELAY_S = 0.03
SLOW_SHARE = 4
"""The slow bucket gets one in so many events."""
SLOW_BLOCK_EVENTS = 2_500
UNCACHED = {"SERVICE_QUERY_CACHE_MB": "0"}
SCANS = ("count, avg, p99 by status", "distinct trace ids", "top 10 addresses", "common word count")
"""Queries that read all blocks."""


def measure_cluster(workbench: Workbench) -> list[Figure]:
    return [*measure_overhead(workbench), *measure_slow_store(workbench)]


def measure_overhead(workbench: Workbench) -> list[Figure]:
    """Measure with two workers on the cores of the node, where nothing can be gained."""
    expected, loaded = expect(workbench), workbench.loaded_mixed
    with serve(loaded.data, UNCACHED) as server:
        alone_ms = time_set(server.connect(loaded.token), expected)
    with (
        machines(workbench.make_directory(), LOCAL_WORKERS, UNCACHED) as running,
        serve(loaded.data, UNCACHED | reach(running)) as server,
    ):
        together_ms = time_set(server.connect(loaded.token), expected)
    return [
        Figure(
            name="cluster: two workers on the cores of the node",
            value=sum(together_ms.values()) / sum(alone_ms.values()),
            unit="x one node",
            target=LOCAL_TARGET,
            detail=describe(together_ms, alone_ms),
            method=f"sum over the queries of this bench, best of {REPEATS} each, nothing remembered in memory",
        )
    ]


def measure_slow_store(workbench: Workbench) -> list[Figure]:
    """Measure scans of a bucket with slow requests, so that most of the time is spent waiting."""
    with running_bucket(workbench.make_directory()) as bucket:
        settings, token, expected = fill(workbench, bucket)
        with delayed(bucket.port, DELAY_S) as port:
            settings |= make_environment(f"http://127.0.0.1:{port}")
            settings |= UNCACHED | {"SERVICE_STORE_CACHE_MB": "1"}
            with serve(workbench.make_directory(), settings) as server:
                alone_ms = time_set(server.connect(token), expected, SCANS, repeats=1)
            with (
                machines(workbench.make_directory(), SLOW_WORKERS, settings) as running,
                serve(workbench.make_directory(), settings | reach(running)) as server,
            ):
                client = server.connect(token)
                together_ms = time_set(client, expected, SCANS, repeats=1)
    return [
        Figure(
            name=f"cluster: eight workers, {DELAY_S * 1e3:.0f} ms per request of the bucket",
            value=sum(together_ms.values()) / sum(alone_ms.values()),
            unit="x one node",
            target=SLOW_TARGET,
            detail=describe(together_ms, alone_ms),
            method=f"sum over {len(SCANS)} scans of blocks of {SLOW_BLOCK_EVENTS:,} events in a bucket behind a "
            "relay that waits before each request, no caches",
        )
    ]


def reach(running: Machines) -> dict[str, str]:
    return {"SERVICE_DASK_SCHEDULER": running.address}


def fill(workbench: Workbench, bucket: S3Server) -> tuple[dict[str, str], str, Expected]:
    """Make many small blocks in a bucket; return the settings and a token of its nodes, and what queries must find."""
    smaller = Workbench(workbench.make_directory(), workbench.mixed.events // SLOW_SHARE)
    note(f"loading {smaller.mixed.events:,} events into a bucket")
    secrets = workbench.make_directory()
    settings = {
        "SERVICE_STORE_URL": bucket.make_url(),
        "SERVICE_CONTROL_KEY_PATH": str(secrets / "control"),
        "SERVICE_JWT_SECRET_PATH": str(secrets / "jwt"),
        "SERVICE_BLOCK_SYNC_SECS": "3600",
        "SERVICE_BLOCK_FLUSH_ROWS": str(SLOW_BLOCK_EVENTS),
        "SERVICE_COMPACTION": "off",
    }
    with serve(workbench.make_directory(), settings | bucket.environment) as server:
        token = server.set_up()
        send(server, smaller.mixed.bodies(SLOW_BLOCK_EVENTS), CLIENTS)
        client = server.connect(token)
        client.flush()
        client.check_count(smaller.mixed.events)
    return settings, token, expect(smaller)


def time_set(
    client: Client, expected: Expected, names: tuple[str, ...] = (), repeats: int = REPEATS
) -> dict[str, float]:
    """Return the best time of each query, or of those named, in milliseconds, after a warm-up."""
    chosen = [case for case in CASES if not names or case.name in names]
    return {
        case.name: min([ask(case, turn, client, expected) for turn in range(repeats + 1)][1:])
        for case in chosen
    }


def describe(together_ms: dict[str, float], alone_ms: dict[str, float]) -> str:
    """Return the totals, and the query that gained least."""
    worst = max(together_ms, key=lambda name: together_ms[name] / alone_ms[name])
    return (
        f"{sum(together_ms.values()):.0f} ms, {sum(alone_ms.values()):.0f} ms alone; "
        f"worst: {worst} {together_ms[worst]:.1f}, {alone_ms[worst]:.1f} ms alone"
    )
