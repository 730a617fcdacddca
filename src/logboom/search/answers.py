"""The engine's answers and options, re-exported for callers of the search service."""

from logboom.engine.answers.context import Surroundings
from logboom.engine.answers.difference.compare import Difference
from logboom.engine.answers.difference.shares import FieldDifference, ValueShare
from logboom.engine.answers.export import FORMATS as EXPORT_FORMATS
from logboom.engine.answers.fields.complete import Suggestion
from logboom.engine.answers.fields.listing import (
    COUNTED,
    MAX_FIELDS,
    FieldPage,
    NamePage,
    WantedFields,
)
from logboom.engine.answers.fields.panel import FieldSummary, ValueCount
from logboom.engine.answers.fields.types import FieldTypes
from logboom.engine.answers.figures import Figures, Meter
from logboom.engine.answers.histogram import MAX_BUCKETS, Bars, Histogram
from logboom.engine.answers.indexes import IndexSummary
from logboom.engine.answers.search import SearchAnswer
from logboom.engine.answers.tail import Sent, Tail
from logboom.engine.answers.windows import Windows, find_windows
from logboom.engine.blocks.losses import Warning_
from logboom.engine.pipes.groups.windows import Sliding
from logboom.engine.terms.request import EventId, EventKey, encode_cursor, parse_id
from logboom.engine.terms.spans import begin_span, next_span

__all__ = [
    "COUNTED",
    "EXPORT_FORMATS",
    "MAX_BUCKETS",
    "MAX_FIELDS",
    "Bars",
    "Difference",
    "EventId",
    "EventKey",
    "FieldDifference",
    "FieldPage",
    "FieldSummary",
    "FieldTypes",
    "Figures",
    "Histogram",
    "IndexSummary",
    "Meter",
    "NamePage",
    "SearchAnswer",
    "Sent",
    "Sliding",
    "Suggestion",
    "Surroundings",
    "Tail",
    "ValueCount",
    "ValueShare",
    "WantedFields",
    "Warning_",
    "Windows",
    "begin_span",
    "encode_cursor",
    "find_windows",
    "next_span",
    "parse_id",
]
