"""`logboom scheduler` and `logboom worker`: the processes of a cluster for large queries."""

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from logboom.base.errors import Invalid, Unavailable
from logboom.base.process.log import SelfLog, start_logging
from logboom.config import Settings, load_settings
from logboom.engine.cluster.access import check_extra

DASK_PORT = 8786
MB = 1 << 20

SECRET = typer.Option("--secret", help="File with the secret that the cluster shares.")


def run_scheduler(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = DASK_PORT,
    secret: Annotated[Path | None, SECRET] = None,
) -> None:
    """Hand out the work of queries to workers, until stopped; needs the extra dask."""
    settings = prepare({"dask_secret_path": secret})
    # Not at the top: Dask is an extra, and takes a while to load.
    from logboom.engine.cluster import scheduler  # noqa: PLC0415
    from logboom.engine.cluster.certificates import find_certificates  # noqa: PLC0415

    certificates = find_certificates(settings.cluster_access)
    try:
        asyncio.run(scheduler.run_scheduler(host, port, certificates))
    except OSError as error:
        raise Unavailable(f"cannot start: {error}") from error


def run_worker(
    scheduler: Annotated[str | None, typer.Option(help="Address of the scheduler.")] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            help="Number of blocks to read at the same time. Default: one per core.", min=1
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            help="Memory of the worker, in megabytes. Default: its share of the machine.", min=64
        ),
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Address at which nodes and other workers reach this worker.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Directory for the cache of files.")] = None,
    secret: Annotated[Path | None, SECRET] = None,
) -> None:
    """Read the store for the queries of nodes, until stopped; needs the extra dask."""
    settings = prepare({"dask_scheduler": scheduler, "dask_secret_path": secret, "data_dir": data})
    if not settings.dask_scheduler:
        raise Invalid("no scheduler is set, expected --scheduler or SERVICE_DASK_SCHEDULER")
    threads = threads or os.cpu_count() or 1
    # Polars would take all cores, which others may have who share the machine; it asks when it is loaded.
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
    # Not at the top: Dask is an extra, and takes a while to load.
    from logboom.engine.cluster import worker  # noqa: PLC0415
    from logboom.engine.cluster.certificates import find_certificates  # noqa: PLC0415
    from logboom.engine.cluster.tasks import WorkerReaders  # noqa: PLC0415

    access, folder = settings.cluster_access, settings.data_dir
    readers = WorkerReaders(
        folder / "cache",
        files_bytes=settings.store_cache_mb * MB,
        memory_bytes=settings.query_memory_bytes,
        cache_bytes=settings.query_cache_bytes,
    )
    memory_bytes = memory * MB if memory else None
    options = worker.WorkerOptions(threads, memory_bytes, host, folder / "scratch")
    certificates = find_certificates(access)
    asyncio.run(worker.run_worker(access.address, certificates, readers, options))


def prepare(flags: dict[str, object]) -> Settings:
    check_extra()
    settings = load_settings(flags)
    start_logging(settings.log_level, SelfLog())
    return settings
