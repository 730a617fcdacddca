"""Values as tests see them: what a text or a number of the query is to a column of each kind."""

from collections.abc import Callable

import msgspec
import polars as pl

from logboom.model.columns import Kind, Scalar

MIN_INT, MAX_INT = -(2**63), 2**63 - 1
BOOLEANS = {"true": True, "false": False}

ValueTest = Callable[[pl.Expr, Kind], pl.Expr]
"""Builds the test of one value, given its expression and the kind it is of."""


def element_kind(kind: Kind) -> Kind:
    """The kind of one value of a column."""
    return Kind(kind.value.removesuffix("[]"))


def as_text(value: pl.Expr, kind: Kind) -> pl.Expr:
    return value if kind is Kind.STR else value.cast(pl.String)


def read_value(text: str, kind: Kind) -> Scalar | None:
    """The value of a kind that a text spells; None when it spells none."""
    if kind is Kind.STR:
        return text
    if kind is Kind.BOOL:
        return BOOLEANS.get(text.lower())
    try:
        number = msgspec.json.decode(text.encode(), type=int | float)
        return fit_int(number) if kind is Kind.INT else float(number)
    except (msgspec.MsgspecError, UnicodeEncodeError, OverflowError):
        return None


def fit_int(number: int | float) -> int | None:
    """The whole number that a column of integers can hold; None when it cannot."""
    return int(number) if MIN_INT <= number <= MAX_INT and number == int(number) else None


def fit_number(number: int | float, kind: Kind) -> int | float:
    """The number as values of a kind compare with it, without loss where there is a choice."""
    whole = fit_int(number) if kind is Kind.INT else None
    return float(number) if whole is None else whole
