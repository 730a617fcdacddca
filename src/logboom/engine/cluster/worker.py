"""A worker of a cluster: reads blocks for the queries of nodes, and merges them."""

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from distributed import Security, Worker
from distributed.comm.core import connect
from distributed.utils import get_ip

from logboom.base.errors import Unavailable
from logboom.base.version import __version__
from logboom.engine.cluster.certificates import Certificates
from logboom.engine.cluster.scheduler import (
    FIGURES_ADDRESS,
    close_on_signals,
    make_security,
    set_up_dask,
)
from logboom.engine.cluster.tasks import WorkerReaders

log = logging.getLogger(__name__)

LEAVE_S = 5.0
AGAIN_S = 1.0
CONNECT_S = 5.0


class WorkerOptions(NamedTuple):
    """The resources and the address of a worker; None leaves it to Dask."""

    threads: int
    memory_bytes: int | None
    host: str | None
    scratch_dir: Path


async def run_worker(
    address: str, certificates: Certificates | None, readers: WorkerReaders, options: WorkerOptions
) -> None:
    """Run a worker until a signal arrives. If the scheduler is gone, wait for it."""
    set_up_dask()
    security = make_security(certificates)
    stopping = asyncio.Event()
    close_on_signals(stopping.set)
    while await find_scheduler(address, security, stopping):
        worker = Worker(
            address,
            nthreads=options.threads,
            memory_limit=options.memory_bytes or "auto",
            local_directory=str(options.scratch_dir),
            security=security,
            # Not on every address, as Dask would: whoever reaches a worker can have it do anything.
            host=options.host or find_own_host(address),
            dashboard_address=FIGURES_ADDRESS,
            plugins=(readers,),
        )
        try:
            await worker
        except (OSError, RuntimeError, ValueError) as error:
            raise Unavailable(f"cannot work for the scheduler {address}: {error}") from error
        extra = {"scheduler": address, "address": worker.address, "threads": options.threads}
        log.info("working", extra=extra | {"version": __version__})
        await wait_for_any(worker.finished(), stopping.wait())
        if not stopping.is_set():
            log.warning("the scheduler is gone", extra={"scheduler": address})
        await worker.close(timeout=LEAVE_S, reason="logboom worker was told to stop")
    log.info("stopped")


async def wait_for_any(*events: Coroutine[object, object, object]) -> None:
    """Wait for the first of several events."""
    waiting = [asyncio.ensure_future(event) for event in events]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()


async def find_scheduler(address: str, security: Security | None, stopping: asyncio.Event) -> bool:
    """Wait for the scheduler; return False if we must stop first.

    The log says why it cannot be reached, because Dask would wait silently.
    """
    options = security.get_connection_args("worker") if security else {}
    while not stopping.is_set():
        try:
            comm = await connect(address, timeout=CONNECT_S, **options)
        except OSError as error:
            log.warning(
                "the scheduler cannot be reached, trying again",
                extra={"scheduler": address, "reason": str(error.__cause__ or error)},
            )
            await asyncio.sleep(AGAIN_S)
        else:
            comm.abort()
            return True
    return False


def find_own_host(address: str) -> str:
    """Return the address of this machine on the route to another."""
    parts = urlsplit(address)
    try:
        return str(get_ip(parts.hostname, parts.port))
    except OSError as error:
        raise Unavailable(f"cannot find the scheduler {address}: {error}") from error
