"""Operations on series and numbers: arithmetic, comparisons, and sets of series."""

import operator as python
from collections.abc import Callable, Sequence

import polars as pl

from logboom.base.errors import Invalid
from logboom.readers.loki.metrics.tree import Matching, Operation
from logboom.readers.loki.metrics.vectors import (
    SERIES,
    STEP,
    VALUE,
    Labels,
    Vectors,
    number_labels,
    translate,
)

COMPARISONS: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "==": python.eq, "!=": python.ne, ">": python.gt, ">=": python.ge, "<": python.lt, "<=": python.le,
}  # fmt: skip
SETS = ("and", "or", "unless")
KEY, OTHER, PAIR = "key", "other", "pair"
NAN = float("nan")


def divide(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Return a quotient; division by zero is not a number, as in Loki."""
    return pl.when(right != 0).then(left / right).otherwise(NAN)


def find_rest(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Return the rest of a division, which has the sign of the dividend."""
    quotient = left.abs() / right.abs()
    rest = left.abs() - quotient.floor() * right.abs()
    return pl.when(right != 0).then(rest * left.sign()).otherwise(NAN)


ARITHMETIC: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "+": python.add, "-": python.sub, "*": python.mul, "/": divide, "%": find_rest, "^": python.pow,
}  # fmt: skip

Operand = Vectors | float


def operate(node: Operation, left: Operand, right: Operand) -> Operand:
    if isinstance(left, Vectors) and isinstance(right, Vectors):
        if node.operator in SETS:
            return combine_sets(node, left, right)
        return pair(node, left, right)
    if node.operator in SETS:
        raise Invalid(f'"{node.operator}" joins series, but one side is a number')
    if isinstance(left, Vectors):
        number = pl.lit(right, pl.Float64)
        return apply(node, left, pl.col(VALUE), number, kept=pl.col(VALUE))
    if isinstance(right, Vectors):
        number = pl.lit(left, pl.Float64)
        return apply(node, right, number, pl.col(VALUE), kept=pl.col(VALUE))
    return compute(node, left, right)


def compute(node: Operation, left: float, right: float) -> float:
    """Compute an operation on two numbers; a comparison is 1 or 0."""
    function = (ARITHMETIC | COMPARISONS)[node.operator]
    result = pl.select(function(pl.lit(left, pl.Float64), pl.lit(right, pl.Float64))).item()
    return float(result)


def apply(
    node: Operation, vectors: Vectors, left: pl.Expr, right: pl.Expr, kept: pl.Expr
) -> Vectors:
    """Compute values row by row; a comparison keeps the rows for which it holds, or returns 1 and 0."""
    compare = COMPARISONS.get(node.operator)
    if compare is None:
        return vectors.with_values(ARITHMETIC[node.operator](left, right))
    if node.is_bool:
        return vectors.with_values(compare(left, right))
    return vectors.with_frame(vectors.frame.filter(compare(left, right))).with_values(kept)


def match_labels(labels: Labels, matching: Matching) -> Labels:
    """Return the labels by which a series is paired."""
    if matching.is_on:
        return {name: labels[name] for name in matching.labels if name in labels}
    return {name: value for name, value in labels.items() if name not in matching.labels}


def number_keys(matching: Matching, *sides: Vectors) -> list[list[int]]:
    """Return the number of each series' key, the same on all sides."""
    found = [match_labels(labels, matching) for side in sides for labels in side.labels]
    _, numbers = number_labels(found)
    first = len(sides[0].labels)
    return [numbers[:first], numbers[first:]]


def with_keys(vectors: Vectors, numbers: Sequence[int]) -> pl.DataFrame:
    return vectors.frame.with_columns(translate(numbers).alias(KEY))


def pair(node: Operation, left: Vectors, right: Vectors) -> Vectors:
    """Return the values of series with the same key at the same step."""
    matching = node.matching
    left_keys, right_keys = number_keys(matching, left, right)
    lefts, rights = with_keys(left, left_keys), with_keys(right, right_keys)
    check_single(lefts if matching.many != "left" else None, "left", matching)
    check_single(rights if matching.many != "right" else None, "right", matching)
    joined = lefts.join(rights, on=[KEY, STEP], suffix="_right").rename(
        {f"{SERIES}_right": OTHER, f"{VALUE}_right": "right"}
    )
    pairs = joined.select(SERIES, OTHER).unique(maintain_order=True).with_row_index(PAIR)
    labels, numbers = number_labels(
        [
            label_pair(left.labels[one], right.labels[other], matching)
            for one, other in pairs.select(SERIES, OTHER).iter_rows()
        ]
    )
    numbered = joined.join(pairs, on=[SERIES, OTHER]).with_columns(
        translate(numbers, PAIR).alias(SERIES)
    )
    if numbered.select(SERIES, STEP).is_duplicated().any():
        raise Invalid(f'"{node.operator}" makes several series with the same labels')
    found = apply(
        node, Vectors(labels, numbered), pl.col(VALUE), pl.col("right"), kept=pl.col(VALUE)
    )
    return found.with_frame(found.frame.select(SERIES, STEP, VALUE))


def check_single(frame: pl.DataFrame | None, side: str, matching: Matching) -> None:
    """Raise Invalid if a side has several series with one key, unless `group_left` or `group_right` allows it."""
    if frame is None or not frame.select(KEY, STEP).is_duplicated().any():
        return
    if matching.many:
        raise Invalid(f"found duplicate series on the {side} side of the operation")
    raise Invalid(
        "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)"
    )


def label_pair(left: Labels, right: Labels, matching: Matching) -> Labels:
    if not matching.many:
        return match_labels(left, matching)
    many, one = (left, right) if matching.many == "left" else (right, left)
    kept = {name: value for name, value in many.items() if name not in matching.included}
    return kept | {name: one[name] for name in matching.included if name in one}


def combine_sets(node: Operation, left: Vectors, right: Vectors) -> Vectors:
    left_keys, right_keys = number_keys(node.matching, left, right)
    lefts, rights = with_keys(left, left_keys), with_keys(right, right_keys)
    if node.operator != "or":
        how = "semi" if node.operator == "and" else "anti"
        kept = lefts.join(rights, on=[KEY, STEP], how=how)  # type: ignore[arg-type]
        return left.with_frame(kept.drop(KEY))
    added = rights.join(lefts, on=[KEY, STEP], how="anti").with_columns(
        pl.col(SERIES) + len(left.labels)
    )
    labels, numbers = number_labels([*left.labels, *right.labels])
    frame = pl.concat([lefts, added]).drop(KEY).with_columns(translate(numbers).alias(SERIES))
    return Vectors(labels, frame)
