"""`unpack`: the fields inside a text, as JSON, logfmt, pairs, syslog or CSV.

A text that does not match the format leaves its row unchanged; a found field replaces one of its name.
"""

from collections.abc import Iterable
from typing import Any

import polars as pl
from msgspec import field

from logboom.base.errors import TooLarge
from logboom.base.structs import MutableStruct
from logboom.engine.pipes.compute.formats import find_parser
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.pipes.overlay import is_reserved, overlay_loaded
from logboom.engine.rows.distinct import Distinct, find_kind
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import CELL_BYTES, measure_fields
from logboom.engine.rows.table import Table
from logboom.engine.rows.values import Value
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import EVERYTHING, Needs, need
from logboom.lang import ast
from logboom.model.columns import Kind
from logboom.model.names import fold_name

MAX_FIELDS = 10_000
"""Names in the texts of one table; more are an error, because leaving some out would go unnoticed."""
COUNTED_VALUES = 5_000
"""Values that are collected before memory is reserved for them."""
VALUE_BYTES = 300
"""The memory of a found value, with its position and name."""


class Unpack(RowPipe, frozen=True):
    pipe: ast.Unpack

    def needs(self) -> Needs:
        return EVERYTHING if self.pipe.keeps else need(self.pipe.field)

    def bound_memory(self, table: Table) -> int:
        return 2 * measure_fields(table, (self.pipe.field,))

    def apply(self, table: Table) -> Table:
        texts = Distinct.of(table.frame, [Value.of_field(table, self.pipe.field).text()])
        parse = find_parser(self.pipe)
        found = gather(
            (parse(text) if text is not None else None for (text,) in texts.rows),
            self.pipe.skips_empty,
        )
        wanted = set(map(fold_name, self.pipe.names)) or found.keys()
        allowed = {
            key for key in found.keys() & wanted if not is_reserved(table, self.pipe.prefix + key)
        }
        if len(allowed) > MAX_FIELDS:
            raise TooLarge(
                f"unpack finds {len(allowed)} fields in {self.pipe.field}, expected at most {MAX_FIELDS}"
            )
        columns = sum(len(each.values) for key, each in found.items() if key in allowed)
        reserve(3 * CELL_BYTES * table.height * columns)
        return overlay_loaded(
            table,
            {
                self.pipe.prefix + each.name: each.make_value(texts)
                for key, each in found.items()
                if key in allowed
            },
            keeps=self.pipe.keeps,
        )


class FoundField(MutableStruct):
    """The values of one field by their kind and the position of their text."""

    name: str
    last: int = -1
    values: dict[Kind, dict[int, Any]] = field(default_factory=dict)

    def add(self, place: int, value: Any) -> None:
        """Add the value of a text; of names that differ only in case the first one of a text wins."""
        kind = find_kind(value)
        if place != self.last and kind is not None:
            self.last = place
            self.values.setdefault(kind, {})[place] = value

    def make_value(self, texts: Distinct) -> Value:
        return Value(
            {kind: pl.lit(texts.spread(values, kind)) for kind, values in self.values.items()}
        )


def gather(
    parsed: Iterable[dict[str, Any] | None], skips_empty: bool = False
) -> dict[str, FoundField]:
    """Return what was found in texts, by the folded name of the field; empty texts may be left out."""
    fields: dict[str, FoundField] = {}
    spellings: dict[str, FoundField] = {}
    held = 0
    for place, members in enumerate(parsed):
        for name, value in (members or {}).items():
            if skips_empty and value == "":
                continue
            known = spellings.get(name)
            if known is None:
                known = fields.setdefault(fold_name(name), FoundField(name))
                spellings[name] = known
            known.add(place, value)
            held += 1
        if held >= COUNTED_VALUES:
            reserve(held * VALUE_BYTES)
            held = 0
    return fields


def make_unpack(pipe: ast.Unpack, _conditions: Conditions) -> Unpack:
    return Unpack(pipe)
