"""Fixtures for tests that talk to a whole service over HTTP, all of it in this process."""

import gc
import os
import uuid
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from tests.buckets import s3_server as s3_server
from tests.buckets import store_place as store_place
from tests.properties import is_soak

if TYPE_CHECKING:
    from tests.running import RunningService

MakeService = Callable[..., "RunningService"]

# The same code gets the same examples, so that only a change can make a test pass or fail. `make soak` looks for more.
# How long an example takes depends on the machine: no deadline.
settings.register_profile("reproducible", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("soak", derandomize=False, deadline=None, max_examples=1000)
settings.load_profile("reproducible")
# Hypothesis tries constants of all modules that are loaded: reading them takes a worker ten seconds, and which are loaded
# depends on the tests before, so that the same code would get other examples.
find_constants = providers._get_local_constants
providers._get_local_constants = lambda: (
    find_constants() if is_soak() else providers._local_constants
)

LONG = ("process", "ui")
TESTS = Path(__file__).parent

if "PYTEST_XDIST_WORKER" in os.environ:
    # Workers already share the cores: threads for tables of a few rows would only wait for each other. What a test
    # starts as a process of its own has as many as elsewhere.
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl

    del os.environ["POLARS_MAX_THREADS"]
    assert pl.thread_pool_size() == 1

# What is collected stays until the end: looking through it for garbage took an eighth of the time of collecting it.
gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each worker start with other folders, so that one compiles a module and the others read it."""
    report = yield
    if collector.path == TESTS:
        worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        begin = len(report.result) * worker // workers
        report.result = [*report.result[begin:], *report.result[:begin]]
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run long tests first, and alternate files that wait for disks with those that need a browser."""
    paths = sorted({item.path for item in items})
    shares = dict.fromkeys(paths, 1.0)
    for folder in LONG:
        files = [path for path in paths if path.is_relative_to(TESTS / folder)]
        shares |= {file: place / len(files) for place, file in enumerate(files)}
    order = {path: place for place, path in enumerate(sorted(paths, key=shares.__getitem__))}
    items.sort(key=lambda item: order[item.path])


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection, because they stay in memory until the end."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def service_class() -> "type[RunningService]":
    """Load the whole server; only for tests that need one, because it takes longer than most tests."""
    from tests.running import RunningService  # noqa: PLC0415

    return RunningService


@pytest.fixture(scope="session")
def service(
    tmp_path_factory: pytest.TempPathFactory, service_class: "type[RunningService]"
) -> Iterator["RunningService"]:
    """Yield one service, shared by all tests that use only their own environment."""
    with service_class(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def env(service: "RunningService") -> str:
    """Return a new environment of the shared service."""
    name = f"env-{uuid.uuid4().hex}"
    service.control.environments.create(name)
    return name


@pytest.fixture
def start_service(tmp_path: Path, service_class: "type[RunningService]") -> Iterator[MakeService]:
    """Return a function that starts a separate service with its own options."""
    started: list[RunningService] = []

    def start(**options: Any) -> "RunningService":
        running = service_class(tmp_path / f"service-{len(started)}", **options)
        running.start()
        started.append(running)
        return running

    yield start
    for running in started:
        running.stop()
