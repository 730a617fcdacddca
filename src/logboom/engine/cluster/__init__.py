"""A query on a cluster: Dask workers read the shared store for the nodes. Only `dask`, `machines` and `tasks` import Dask."""
