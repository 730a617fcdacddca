"""The cluster at an address."""

from pathlib import Path

from logboom.base.stores.places import Bucket
from logboom.engine.cluster.access import ClusterAccess, check_extra
from logboom.engine.execution.remote import Cluster


def open_cluster(access: ClusterAccess, store: Path | Bucket, least_bytes: int) -> Cluster:
    """A cluster whose workers read the store at the same place, for queries that read so much at least."""
    check_extra()
    # Not at the top: Dask is an extra, and takes a while to load.
    from logboom.engine.cluster.certificates import find_certificates  # noqa: PLC0415
    from logboom.engine.cluster.dask import DaskCluster  # noqa: PLC0415
    from logboom.engine.cluster.scheduler import adopt_logs, make_security  # noqa: PLC0415

    adopt_logs()
    security = make_security(find_certificates(access))
    cluster = DaskCluster(access.address, security, store, least_bytes)
    cluster.open()
    return cluster
