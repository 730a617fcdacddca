"""`rare`: the least frequent combinations of values, with their count and share."""

from logboom.engine.pipes.groups.top import Top, make_counts
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast


class Rare(Top, frozen=True):
    """Like `top`, with the least frequent first."""

    descending = False


def make_rare(pipe: ast.Rare, conditions: Conditions) -> Rare:
    return Rare(make_counts((*pipe.by, *pipe.fields), conditions), pipe.fields, pipe.by, pipe.limit)
