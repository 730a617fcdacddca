"""Formats a syntax tree as canonical text, which parses back to an equal tree."""

from logboom.lang.format.expressions import EXPRESSION_FORMATS
from logboom.lang.format.filters import FILTER_FORMATS, format_query
from logboom.lang.format.nodes import FORMATS, format_node
from logboom.lang.format.pipes import PIPE_FORMATS

__all__ = ["FORMATS", "format_node", "format_query"]

FORMATS.update(FILTER_FORMATS | EXPRESSION_FORMATS | PIPE_FORMATS)
