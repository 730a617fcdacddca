"""Conditions that apply to the whole run of a query."""

from collections.abc import Mapping
from datetime import UTC, tzinfo

import polars as pl
from msgspec import field

from logboom.base.structs import InternalStruct
from logboom.engine.terms.limits import Limits
from logboom.engine.terms.request import END_NS, MIN_NS


class Conditions(InternalStruct, frozen=True):
    """The clock, the zone and range of the request, lookup tables by name, and the memory budget."""

    now_ns: int = 0
    zone: tzinfo = UTC
    from_ns: int = MIN_NS
    to_ns: int = END_NS
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
