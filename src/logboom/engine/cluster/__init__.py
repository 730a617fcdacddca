"""A query on a cluster: Dask workers read the shared store for the nodes. Only `dask`, `job`, `scheduler`, `tasks` and `worker` import Dask."""
