"""`min` and `max`: of the numbers if there are any, else of the texts, else of the booleans."""

from collections.abc import Collection, Mapping

import polars as pl

from logboom.engine.aggregates.reducer import Reducer, Roles, Rows
from logboom.engine.expressions.numeric import NUMBER_KINDS, read_numbers
from logboom.engine.rows.values import read_number
from logboom.model.columns import Kind


class Least(Reducer, frozen=True):
    """Texts that spell numbers, and times, count as numbers; texts are compared ignoring case first."""

    ignores_repeats = True

    def read(self, rows: Rows) -> Roles:
        found = {kind.value: part for kind, part in read_numbers(rows.value).parts.items()}
        for kind, part in rows.value.parts.items():
            if kind is Kind.STR:
                found["str"] = pl.when(read_number(part, kind).is_null()).then(part)
            elif kind is Kind.BOOL:
                found["bool"] = part
        return found

    def reduce(self, roles: Collection[str]) -> Roles:
        return {kind.value: self._choose(kind) for kind in self.list_kinds(roles)}

    def merge(self, roles: Collection[str]) -> Roles:
        return self.reduce(roles)

    def _choose(self, kind: Kind) -> pl.Expr:
        value = self.col(kind.value)
        if kind is not Kind.STR:
            return self._best(value)
        folded = value.str.to_lowercase()
        return self._best(value.filter(folded == self._best(folded)))

    def _best(self, values: pl.Expr) -> pl.Expr:
        return values.min()

    def _best_of(self, values: list[pl.Expr]) -> pl.Expr:
        return pl.min_horizontal(values) if values else pl.lit(None)

    def finish(self, frame: pl.DataFrame) -> Mapping[Kind, pl.Expr]:
        kinds = self.list_kinds(self.list_roles(frame.columns))
        numbers = self._compare([kind for kind in kinds if kind in NUMBER_KINDS])
        parts: dict[Kind, pl.Expr] = {}
        taken = pl.lit(value=False)
        for kind in kinds:
            fits = numbers.get(kind, pl.lit(value=True)) & ~taken
            parts[kind] = pl.when(fits).then(self.col(kind.value))
            taken = taken | parts[kind].is_not_null()
        return parts

    def _compare(self, kinds: list[Kind]) -> dict[Kind, pl.Expr]:
        """Return where the number of a kind is the best: compared as floats, then by the digits that floats lack."""
        reals = {kind: read_number(self.col(kind.value), kind) for kind in kinds}
        best = self._best_of(list(reals.values()))
        tied = {kind: (real == best).fill_null(value=False) for kind, real in reals.items()}
        exact = {
            kind: pl.when(tied[kind]).then(self.col(kind.value).cast(pl.Int128, strict=False))
            for kind in kinds
            if kind is not Kind.TIME
        }
        nearest = self._best_of(list(exact.values()))
        return tied | {
            kind: tied[kind] & (whole == nearest).fill_null(value=True)
            for kind, whole in exact.items()
        }


class Greatest(Least, frozen=True):
    """Do the same for the maximum; numbers still come before texts."""

    def _best(self, values: pl.Expr) -> pl.Expr:
        return values.max()

    def _best_of(self, values: list[pl.Expr]) -> pl.Expr:
        return pl.max_horizontal(values) if values else pl.lit(None)
