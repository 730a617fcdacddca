"""Rows as Parquet: a column per field and type as in blocks, times as timestamps."""

from collections.abc import Generator, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from logboom.engine.answers.export.pages import Export
from logboom.engine.blocks.load import write_ids
from logboom.engine.execution.find import Finder
from logboom.engine.rows.shown import list_shown
from logboom.engine.rows.table import ENV, ID, INDEX, TIME, Table, match_names
from logboom.engine.terms.needs import EVERYTHING, need
from logboom.model.columns import Column, Kind

PAGE_ROWS = 20_000
"""Rows that are held at once, with all their columns."""
PIECE_BYTES = 1 << 20
NEEDS = EVERYTHING | need("_env")
OWN = (TIME, ID, ENV, INDEX)
TIMESTAMP = pl.Datetime("ns", "UTC")


def write_parquet(finder: Finder, columns: tuple[str, ...] | None) -> Generator[bytes, None, None]:
    return write_file(Export.begin(finder, PAGE_ROWS, NEEDS), columns)


def write_file(export: Export, columns: tuple[str, ...] | None) -> Generator[bytes, None, None]:
    """Yield the file in pieces; all pages are combined first, because their rows have different columns."""
    with TemporaryDirectory(prefix="logboom-export-") as folder:
        parts: list[Path] = []
        for number, page in enumerate(export.list_pages()):
            parts.append(Path(folder, f"{number}.parquet"))
            choose_columns(page, columns).write_parquet(parts[-1])
        whole = Path(folder, "whole.parquet")
        combine(parts).sink_parquet(whole, row_group_size=PAGE_ROWS)
        with whole.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
    export.end()


def combine(parts: Iterable[Path]) -> pl.LazyFrame:
    return pl.concat([pl.scan_parquet(part, glob=False) for part in parts], how="diagonal")


def choose_columns(page: Table, wanted: tuple[str, ...] | None) -> pl.DataFrame:
    """Return the shown columns, under the names they have in blocks."""
    page = page.unshare(page.shared)
    names = list_shown(page)
    if page.own is not None and page.own.shows(ID.field):
        page = page.with_frame(page.frame.with_columns(write_ids(page.frame).alias(ID.name)))
        names = [*names[:1], ID.field, *names[1:]]
    chosen = names if wanted is None else match_names(wanted, names)
    columns = [column for name in chosen for column in page.find_columns(name)]
    if page.own is not None:
        columns = [column for column in columns if column in OWN or has_values(page, column)]
    return page.frame.select(map(show_column, columns))


def has_values(page: Table, column: Column) -> bool:
    return page.frame[column.name].null_count() < page.height


def show_column(column: Column) -> pl.Expr:
    """Return the service's own columns without their type; times as timestamps."""
    shown = pl.col(column.name).alias(column.field if column in OWN else column.name)
    match column.kind:
        case Kind.TIME:
            return shown.cast(TIMESTAMP)
        case Kind.TIMES:
            return shown.cast(pl.List(TIMESTAMP))
        case _:
            return shown
