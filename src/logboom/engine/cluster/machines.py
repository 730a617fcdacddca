"""The processes of a cluster: a scheduler, and workers that read the store for the nodes."""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import dask.config
from distributed import Scheduler, Security, Worker
from distributed.comm import get_address_host
from distributed.utils import get_ip

from logboom.base.errors import Unavailable
from logboom.base.version import __version__
from logboom.engine.cluster.certificates import Certificates
from logboom.engine.cluster.tasks import Hand

log = logging.getLogger(__name__)

ALLOWED_FAILURES = 1
"""A task that has killed two workers is not given to a third one: the node does it."""
FIGURES_ADDRESS = "127.0.0.1:0"
"""Dask cannot do without its pages of figures, so nobody else gets to see them."""
LEAVE_S = 5.0
AGAIN_S = 1.0


def make_security(certificates: Certificates | None) -> Security | None:
    """With certificates, connections are refused that are not encrypted or come without one."""
    if certificates is None:
        return None
    parties = ("client", "scheduler", "worker")
    return Security(
        require_encryption=True,
        tls_ca_file=certificates.authority,
        **{f"tls_{party}_cert": certificates.certificate for party in parties},
        **{f"tls_{party}_key": certificates.key for party in parties},
    )


def adopt_logs() -> None:
    """Let what Dask logs go where our own logs go, from warnings on; to be called once it is loaded."""
    ours = logging.getLogger("logboom")
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
    distributed = logging.getLogger("distributed")
    distributed.setLevel(logging.WARNING)
    distributed.handlers, distributed.propagate = ours.handlers, False


async def run_scheduler(host: str, port: int, certificates: Certificates | None) -> None:
    """Until a signal comes."""
    adopt_logs()
    protocol = "tls" if certificates else "tcp"
    security = make_security(certificates)
    async with Scheduler(
        host=host,
        port=port,
        protocol=f"{protocol}://",
        security=security,
        dashboard=False,
        dashboard_address=FIGURES_ADDRESS,
        allowed_failures=ALLOWED_FAILURES,
    ) as scheduler:
        log.info("scheduling", extra={"address": scheduler.address, "version": __version__})
        close_on_signals(scheduler.close)
        await scheduler.finished()
    log.info("stopped")


class WorkerOptions(NamedTuple):
    """What a worker may use, and under which address it is reached; None is what Dask finds out."""

    threads: int
    memory_bytes: int | None
    host: str | None
    scratch_dir: Path


async def run_worker(
    address: str, certificates: Certificates | None, hand: Hand, options: WorkerOptions
) -> None:
    """Until a signal comes; a scheduler that is gone is waited for."""
    adopt_logs()
    dask.config.set({"distributed.worker.profile.enabled": False})
    stopping = asyncio.Event()
    while not stopping.is_set():
        worker = Worker(
            address,
            nthreads=options.threads,
            memory_limit=options.memory_bytes or "auto",
            local_directory=str(options.scratch_dir),
            security=make_security(certificates),
            # Not on every address, as Dask would: whoever reaches a worker can have it do anything.
            host=options.host or find_own_host(address),
            dashboard_address=FIGURES_ADDRESS,
            plugins=(hand,),
        )

        async def leave(worker: Worker = worker) -> None:
            stopping.set()
            await worker.close(timeout=LEAVE_S, reason="logboom worker was told to stop")

        close_on_signals(leave)
        try:
            await worker
        except (OSError, RuntimeError, ValueError) as error:
            raise Unavailable(f"cannot work for the scheduler {address}: {error}") from error
        extra = {"scheduler": address, "address": worker.address, "threads": options.threads}
        log.info("working", extra=extra | {"version": __version__})
        await worker.finished()
        if not stopping.is_set():
            log.warning("the scheduler is gone, connecting again", extra={"scheduler": address})
            await asyncio.sleep(AGAIN_S)
    log.info("stopped")


def find_own_host(address: str) -> str:
    """The address of this machine on the way to another."""
    host, port = get_address_host(address), urlsplit(address).port
    try:
        return str(get_ip(host, port or 0))
    except OSError as error:
        raise Unavailable(f"cannot find the scheduler {address}: {error}") from error


def close_on_signals(close: Callable[[], Awaitable[object]]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: asyncio.ensure_future(close()))
