"""Lists as results: values of many groups in one long frame, and back to one list per group."""

from collections.abc import Mapping

import polars as pl

from logboom.engine.aggregates.reducer import KINDS
from logboom.engine.expressions.numeric import widen
from logboom.engine.rows.values import Value
from logboom.model.columns import DTYPES, Kind

MAX_VALUES = 1000
"""Maximum length of a list; further values are left out, and counted."""
GROUP, TEXT = "group", "text"


def unroll(frame: pl.DataFrame, lists: Mapping[Kind, list[pl.Expr]]) -> pl.DataFrame:
    """Return a row for each value of the lists: its group, the value in a column of its kind, and the extra columns.

    The first list of a kind has the values, others of the same length keep their names.
    """
    longs = []
    for kind, (values, *beside) in lists.items():
        names = [kind.value, *(each.meta.output_name() for each in beside)]
        wide = frame.select(values.alias(kind.value), *beside).with_row_index(GROUP)
        longs.append(wide.explode(names).drop_nulls(kind.value))
    empty = pl.DataFrame(schema={GROUP: pl.UInt32, **{kind.value: DTYPES[kind] for kind in KINDS}})
    return pl.concat([empty, *longs], how="diagonal")


def find_value(long: pl.DataFrame) -> Value:
    """Return the value in each row of a long frame."""
    kinds = [kind for kind in KINDS if long[kind.value].null_count() < long.height]
    return Value({kind: pl.col(kind.value) for kind in kinds})


def roll(long: pl.DataFrame, height: int) -> dict[Kind, pl.Expr]:
    """Return one list per group, in the order of the rows; of texts, if there are several kinds of values.

    Integers and floats together are floats, or texts where a float would not have all digits of an integer.
    """
    value = find_value(long)
    lists = {kind: pl.col(kind.value) for kind in value.parts}
    # A column even if no value gives a text: a literal would not become a list.
    long = long.with_columns(value.text().alias(TEXT))
    lists[Kind.STR] = pl.col(TEXT)
    if Kind.FLOAT in lists:
        lists[Kind.FLOAT] = pl.coalesce(pl.col("float"), pl.col("int").cast(pl.Float64))
    grouped = long.group_by(GROUP).agg(
        find_kind().alias("kind"), *(part.alias(kind.value) for kind, part in lists.items())
    )
    groups = pl.DataFrame({GROUP: pl.int_range(height, dtype=pl.UInt32, eager=True)})
    joined = groups.join(grouped, on=GROUP, how="left", maintain_order="left")
    return {
        kind.listed: pl.lit(joined[kind.value].set(joined["kind"].ne_missing(kind.value), None))
        for kind in lists
    }


def find_kind() -> pl.Expr:
    """Return the common kind of a group's values."""
    whole, real, time, truth = (
        pl.col(kind.value).count() for kind in KINDS if kind is not Kind.STR
    )
    integer = pl.col(Kind.INT.value)
    fits = widen(integer.cast(pl.Float64)) == widen(integer)
    return (
        pl.when(whole == pl.len())
        .then(pl.lit(Kind.INT.value))
        .when(whole + real == pl.len(), fits.all())
        .then(pl.lit(Kind.FLOAT.value))
        .when(time == pl.len())
        .then(pl.lit(Kind.TIME.value))
        .when(truth == pl.len())
        .then(pl.lit(Kind.BOOL.value))
        .otherwise(pl.lit(Kind.STR.value))
    )
