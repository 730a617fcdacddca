"""Aggregates of numbers: exact for integers, even if their sum needs more than 64 bits."""

from collections.abc import Collection, Mapping

import polars as pl

from logboom.engine.aggregates.reducer import Reducer, Roles, Rows
from logboom.engine.expressions.numeric import as_real, narrow, read_numbers
from logboom.engine.rows.division import divide
from logboom.engine.rows.values import NS_PER_S
from logboom.model.columns import DTYPES, Kind


def read_amounts(rows: Rows) -> Roles:
    """Return numbers as integers or floats, times as seconds."""
    parts = dict(read_numbers(rows.value).parts)
    reals = [parts[Kind.FLOAT]] if Kind.FLOAT in parts else []
    if Kind.TIME in parts:
        reals.append(divide(parts.pop(Kind.TIME), NS_PER_S))
    whole = {"int": parts[Kind.INT]} if Kind.INT in parts else {}
    return {**whole, "float": pl.coalesce(reals)} if reals else whole


class Sum(Reducer, frozen=True):
    """An integer if all numbers are and it fits, else a float; null without a number."""

    is_numeric = True

    def read(self, rows: Rows) -> Roles:
        return read_amounts(rows)

    def reduce(self, roles: Collection[str]) -> Roles:
        reduced = {"ints": pl.lit(0, pl.Int64), "floats": pl.lit(0, pl.Int64)}
        if "int" in roles:
            reduced["int"] = self.col("int").cast(pl.Int128).sum()
            reduced["ints"] = self.col("int").count().cast(pl.Int64)
        if "float" in roles:
            reduced["float"] = self.col("float").sum()
            reduced["floats"] = self.col("float").count().cast(pl.Int64)
        return reduced

    def merge(self, roles: Collection[str]) -> Roles:
        sums = ("ints", "floats", "int", "float")
        return {role: self.col(role).sum() for role in sums if role in roles}

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        whole = pl.when(self.col("floats") == 0, self.col("ints") > 0).then(self._whole(frame))
        exact = narrow(whole)
        total = pl.when(self._count() > 0, exact.is_null()).then(self._total(frame))
        return {Kind.INT: exact, Kind.FLOAT: total}

    def _count(self) -> pl.Expr:
        return self.col("ints") + self.col("floats")

    def _whole(self, frame: pl.DataFrame) -> pl.Expr:
        return self.col("int") if self.name("int") in frame.columns else pl.lit(0, pl.Int128)

    def _total(self, frame: pl.DataFrame) -> pl.Expr:
        whole = self._whole(frame).cast(pl.Float64)
        return whole + self.col("float") if self.name("float") in frame.columns else whole


class Average(Sum, frozen=True):
    """Always a float."""

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        mean = self._total(frame) / self._count()
        return {Kind.FLOAT: pl.when(self._count() > 0).then(mean)}


class Variance(Reducer, frozen=True):
    """Sample variance; null for fewer than two numbers. Merged by means, which loses no digits."""

    is_numeric = True

    def read(self, rows: Rows) -> Roles:
        return {"number": as_real(read_numbers(rows.value))}

    def reduce(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        number = self.col("number")
        n = number.count().cast(pl.Int64)
        return {"n": n, "mean": number.mean(), "squares": number.var(ddof=0) * n}

    def merge(self, roles: Collection[str]) -> Roles:  # noqa: ARG002
        n, mean = self.col("n"), self.col("mean")
        # Without a number the mean is null: NaN would spoil all further merges.
        total = pl.when(n.sum() > 0).then((n * mean).sum() / n.sum())
        squares = self.col("squares").sum() + (n * (mean - total).pow(2)).sum()
        return {"n": n.sum(), "mean": total, "squares": squares}

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:  # noqa: ARG002
        n = self.col("n")
        return {Kind.FLOAT: pl.when(n > 1).then(self.col("squares") / (n - 1))}


class Deviation(Variance, frozen=True):
    """The root of the variance."""

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        return {Kind.FLOAT: super().finish(frame)[Kind.FLOAT].sqrt()}


class PopulationVariance(Variance, frozen=True):
    """Population variance; 0 for a single number."""

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:  # noqa: ARG002
        n = self.col("n")
        return {Kind.FLOAT: pl.when(n > 0).then(self.col("squares") / n)}


class PopulationDeviation(PopulationVariance, frozen=True):
    """The root of the variance."""

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        return {Kind.FLOAT: super().finish(frame)[Kind.FLOAT].sqrt()}


class Range(Reducer, frozen=True):
    """The largest number minus the smallest one."""

    is_numeric = True

    def read(self, rows: Rows) -> Roles:
        return read_amounts(rows)

    def reduce(self, roles: Collection[str]) -> Roles:
        found = [role for role in ("int", "float") if role in roles]
        lows = {f"{role}.low": self.col(role).min() for role in found}
        return lows | {f"{role}.high": self.col(role).max() for role in found}

    def merge(self, roles: Collection[str]) -> Roles:
        return {
            role: self.col(role).min() if role.endswith("low") else self.col(role).max()
            for role in roles
        }

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        low, high, real_low, real_high = (
            self._find(frame, kind, end)
            for kind in (Kind.INT, Kind.FLOAT)
            for end in ("low", "high")
        )
        exact = narrow(high.cast(pl.Int128) - low.cast(pl.Int128))
        whole = pl.when(real_low.is_null()).then(exact)
        lowest = pl.min_horizontal(low.cast(pl.Float64), real_low)
        highest = pl.max_horizontal(high.cast(pl.Float64), real_high)
        return {Kind.INT: whole, Kind.FLOAT: pl.when(whole.is_null()).then(highest - lowest)}

    def _find(self, frame: pl.DataFrame, kind: Kind, end: str) -> pl.Expr:
        role = f"{kind.value}.{end}"
        known = self.name(role) in frame.columns
        return self.col(role) if known else pl.lit(None, DTYPES[kind])
