"""Lookup tables: small CSV tables that queries join with events, stored as one control document."""

import csv
import io
import re
from collections.abc import Mapping

import msgspec
import polars as pl

from logboom.base.errors import Invalid, NotFound, TooLarge, about
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

MAX_TABLE_BYTES = 4 << 20
MAX_ALL_BYTES = 32 << 20
MAX_COLUMNS = 100

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class Lookup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table as it was uploaded, header line first."""

    name: str
    csv: str


class LookupsDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tables by name."""

    lookups: dict[str, Lookup] = {}


class Lookups:
    """All lookup tables. Reads come from memory; `refresh` loads changes made by other nodes."""

    def __init__(self, documents: Documents) -> None:
        self._snapshot = Snapshot(documents, "lookups", LookupsDocument())
        self._tables: tuple[int, Mapping[str, pl.DataFrame]] = (0, {})

    @property
    def generation(self) -> int:
        return self._snapshot.generation

    def refresh(self) -> None:
        self._snapshot.refresh()

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """Every table by name; all columns are texts."""
        generation = self._snapshot.generation
        if self._tables[0] != generation:
            lookups = self._snapshot.body.lookups
            self._tables = (
                generation,
                {name: read_csv(each.csv) for name, each in lookups.items()},
            )
        return self._tables[1]

    def get(self, name: str) -> Lookup:
        """Return a table; raise NotFound if there is none of this name."""
        lookup = self._snapshot.body.lookups.get(name)
        if lookup is None:
            raise NotFound(f"no lookup table {name[:80]!r}")
        return lookup

    def put(self, name: str, text: str, expected_generation: int | None = None) -> Lookup:
        """Store a table, replacing one of the same name; durable on return."""
        check_name(name)
        with about("csv"):
            read_csv(text)
        lookup = Lookup(name, text)

        def add(document: LookupsDocument) -> LookupsDocument:
            lookups = {**document.lookups, name: lookup}
            if sum(len(each.csv) for each in lookups.values()) > MAX_ALL_BYTES:
                raise TooLarge(
                    f"all lookup tables together, expected at most {MAX_ALL_BYTES} bytes"
                )
            return LookupsDocument(lookups)

        self._snapshot.edit(add, expected_generation)
        return lookup

    def delete(self, name: str, expected_generation: int | None = None) -> None:
        """Delete a table; raise NotFound if there is none of this name."""

        def remove(document: LookupsDocument) -> LookupsDocument:
            if name not in document.lookups:
                raise NotFound(f"no lookup table {name[:80]!r}")
            kept = {each: lookup for each, lookup in document.lookups.items() if each != name}
            return LookupsDocument(kept)

        self._snapshot.edit(remove, expected_generation)


def check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise Invalid(
            f"lookup name {name[:80]!r} is not valid, expected 1 to 64 of letters digits _ - with a letter first"
        )


def read_csv(text: str) -> pl.DataFrame:
    """Return a header line and rows; every cell is a text, an empty cell is null."""
    if len(text.encode()) > MAX_TABLE_BYTES:
        raise TooLarge(
            f"a lookup table of {len(text)} characters, expected at most {MAX_TABLE_BYTES} bytes"
        )
    try:
        header, *rows = [row for row in csv.reader(io.StringIO(text), strict=True) if row]
    except ValueError as error:
        raise Invalid("an empty lookup table, expected a header line") from error
    except csv.Error as error:
        raise Invalid(f"the lookup table is not valid CSV: {error}") from error
    check_shape(header, rows)
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    return pl.DataFrame(
        [
            pl.Series(name, [cell or None for cell in cells], pl.String)
            for name, cells in zip(header, columns, strict=True)
        ]
    )


def check_shape(header: list[str], rows: list[list[str]]) -> None:
    names = [name.lower() for name in header]
    if len(names) > MAX_COLUMNS or len(set(names)) < len(names) or "" in names:
        raise Invalid(f"lookup columns {header[:10]}, expected up to {MAX_COLUMNS} different names")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise Invalid(
                f"row {number} of the lookup has {len(row)} cells, expected {len(header)}"
            )
