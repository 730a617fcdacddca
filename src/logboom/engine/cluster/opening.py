"""Opens the connection to a cluster."""

from pathlib import Path

from logboom.base.stores.places import Bucket
from logboom.engine.cluster.access import ClusterAccess, check_extra
from logboom.engine.execution.remote import Cluster
from logboom.store.store import Store


def open_cluster(access: ClusterAccess, store: Path | Bucket, least_bytes: int) -> Cluster:
    """Connect to a cluster whose workers find the store at the same place.

    Queries that read less than `least_bytes` stay on the node.
    """
    check_extra()
    # Not at the top: Dask is an extra, and takes a while to load.
    from logboom.engine.cluster.certificates import find_certificates  # noqa: PLC0415
    from logboom.engine.cluster.dask import DaskCluster  # noqa: PLC0415
    from logboom.engine.cluster.scheduler import make_security, set_up_dask  # noqa: PLC0415

    set_up_dask()
    security = make_security(find_certificates(access))
    cluster = DaskCluster(access.address, security, store, least_bytes)
    cluster.open()
    return cluster


def merge_on(cluster: Cluster, store: Store) -> None:
    """Merge the blocks of a store on a cluster; call before the store is opened."""
    from logboom.engine.cluster.merging import ClusterMerger  # noqa: PLC0415 - as above

    own = store.compactor.merger
    store.compactor.merger = ClusterMerger(cluster, store.node, store.options.max_fields, own)
