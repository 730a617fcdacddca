"""The overflow text of a block: fields that found no column of their own, as JSON beside each event."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import msgspec
import polars as pl

from logboom.engine.blocks import REST
from logboom.engine.values import ValueTest
from logboom.model.columns import DTYPES, Cell, Kind, Scalar

KINDS: dict[type, Kind] = {str: Kind.STR, int: Kind.INT, float: Kind.FLOAT, bool: Kind.BOOL}
Choose = Callable[[dict[str, Cell]], Iterable[Scalar]]


def search_overflow(choose: Choose, test: ValueTest) -> pl.Expr:
    """Rows where one of the values chosen from the overflow text passes the test; never null."""

    def find_rows(texts: pl.Series) -> pl.Series:
        by_kind: defaultdict[Kind, list[tuple[int, Scalar]]] = defaultdict(list)
        for row, text in enumerate(texts):
            # The reader of Parquet may ask what would be said of no text or of an empty one.
            for value in choose(msgspec.json.decode(text)) if text else ():
                by_kind[KINDS[type(value)]].append((row, value))
        found: set[int] = set()
        for kind, pairs in by_kind.items():
            schema = {"row": pl.Int64(), "value": DTYPES[kind]}
            frame = pl.DataFrame(pairs, schema=schema, orient="row")
            found.update(frame.filter(test(pl.col("value"), kind))["row"])
        return pl.Series([row in found for row in range(len(texts))], dtype=pl.Boolean)

    return pl.col(REST).map_batches(find_rows, return_dtype=pl.Boolean, is_elementwise=True)
