"""`sample`: about one in n events, the same ones each time, or another part; for a table every n-th row."""

import zlib

import polars as pl

from logboom.base.errors import Invalid
from logboom.engine.pipes.kinds import RowPipe
from logboom.engine.rows.distinct import Distinct
from logboom.engine.rows.size import CELL_BYTES, measure
from logboom.engine.rows.table import NODE, SEQ, Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.needs import Needs
from logboom.lang import ast
from logboom.model.columns import Kind

MULTIPLIERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
"""The constants of splitmix64, whose results for consecutive numbers are uncorrelated."""


class Sample(RowPipe, frozen=True):
    one_in: int
    part: int = 0

    def needs(self) -> Needs:
        return Needs(frozenset({NODE, SEQ}))

    def bound_memory(self, table: Table) -> int:
        return measure(table.frame) // self.one_in + 2 * CELL_BYTES * table.height

    def apply(self, table: Table) -> Table:
        if not table.height:
            return table
        if table.has_events:
            return table.filter(hash_identity(table) % self.one_in == self.part)
        return table.filter(pl.int_range(pl.len()) % self.one_in == self.part)


def hash_identity(table: Table) -> pl.Expr:
    """Return a number that depends only on the event's identity, the same on every machine."""
    nodes = Distinct.of(table.frame, [pl.col(NODE)])
    seeds = nodes.map(lambda node: zlib.crc32(node.encode()), Kind.INT)[Kind.INT]
    mixed = pl.col(SEQ).cast(pl.UInt64) + pl.lit(seeds).cast(pl.UInt64) * 2**32
    for multiplier in MULTIPLIERS:
        mixed = (mixed ^ (mixed // 2**29)) * pl.lit(multiplier, pl.UInt64)
    return mixed // 2**32


def make_sample(pipe: ast.Sample, _conditions: Conditions) -> Sample:
    if pipe.one_in < 1:
        raise Invalid(f"sample {pipe.one_in}, expected at least 1")
    if not 0 <= pipe.part < pipe.one_in:
        raise Invalid(f"sample {pipe.one_in} part {pipe.part}, expected 0 to {pipe.one_in - 1}")
    return Sample(pipe.one_in, pipe.part)
