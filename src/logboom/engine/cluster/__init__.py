"""Queries on a cluster: Dask workers read the shared store for the nodes.

`access`, `chunks`, `counts` and `opening` work without Dask.
"""
