"""The scheduler of a cluster, and the set-up that it shares with workers and nodes."""

import asyncio
import logging
import signal
from collections.abc import Callable

import dask.config
from distributed import Scheduler, Security

from logboom.base.version import __version__
from logboom.engine.cluster.certificates import Certificates

log = logging.getLogger(__name__)

ALLOWED_FAILURES = 1
"""After two workers died with a task, it is not given to a third one: the node does it."""
QUIET = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "10s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.profile.enabled": False,
}
"""Dask measures itself up to fifty times a second, for a dashboard that nobody sees here."""
FIGURES_ADDRESS = "127.0.0.1:0"
"""Dask always serves its dashboard; on this address nobody else can reach it."""


def make_security(certificates: Certificates | None) -> Security | None:
    """Return Dask's security; with certificates, only encrypted connections with a certificate are accepted."""
    if certificates is None:
        return None
    parties = ("client", "scheduler", "worker")
    return Security(
        require_encryption=True,
        tls_ca_file=certificates.authority,
        **{f"tls_{party}_cert": certificates.certificate for party in parties},
        **{f"tls_{party}_key": certificates.key for party in parties},
    )


def set_up_dask() -> None:
    """Make Dask quiet, and send its warnings and errors to our own log; call it after Dask is loaded."""
    dask.config.set(QUIET)
    ours = logging.getLogger("logboom")
    for name in ("distributed", "distributed.client", "distributed.gc", "tornado"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
    distributed = logging.getLogger("distributed")
    distributed.setLevel(logging.WARNING)
    distributed.handlers, distributed.propagate = ours.handlers, False


async def run_scheduler(host: str, port: int, certificates: Certificates | None) -> None:
    """Run a scheduler until a signal arrives."""
    set_up_dask()
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
        close_on_signals(lambda: asyncio.ensure_future(scheduler.close()))
        await scheduler.finished()
    log.info("stopped")


def close_on_signals(close: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, close)
