"""Export: all matches of a query as a stream of bytes, in the formats listed in FORMATS."""

from collections.abc import Callable, Generator

from logboom.base.structs import InternalStruct
from logboom.engine.answers.export.csv import write_csv
from logboom.engine.answers.export.ndjson import write_ndjson
from logboom.engine.answers.export.parquet import write_parquet
from logboom.engine.execution.find import Finder

Columns = tuple[str, ...] | None


class Format(InternalStruct, frozen=True):
    """`write` finds the first rows before it returns, so that errors in the query are known in time."""

    media_type: str
    write: Callable[[Finder, Columns], Generator[bytes, None, None]]


FORMATS: dict[str, Format] = {
    "ndjson": Format("application/x-ndjson", write_ndjson),
    "csv": Format("text/csv", write_csv),
    "parquet": Format("application/vnd.apache.parquet", write_parquet),
}
