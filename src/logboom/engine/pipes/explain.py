"""`explain` as a pipe: only as the last one of a query, which is then described and not run."""

from typing import NoReturn

from logboom.base.errors import Invalid
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


def make_explain(_pipe: ast.Explain, _conditions: Conditions) -> NoReturn:
    """Raise Invalid: a query that ends with this pipe is not run, and anywhere else it is an error."""
    raise Invalid("explain shows how a whole query is run, expected it as the last pipe")
