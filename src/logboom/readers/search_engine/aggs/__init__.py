"""Aggregations: read from requests, computed by the engine one query for each level, and put into buckets."""

from logboom.readers.search_engine.aggs.auto import settle
from logboom.readers.search_engine.aggs.gather import Gatherer
from logboom.readers.search_engine.aggs.nodes import Node
from logboom.readers.search_engine.aggs.read import read_aggregations
from logboom.readers.search_engine.aggs.render import render_aggregations

__all__ = ["Gatherer", "Node", "read_aggregations", "render_aggregations", "settle"]
