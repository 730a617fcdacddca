"""A few rows keep no more memory than they show."""

from pathlib import Path

import polars as pl
from tests.waiting import poll_until

from logboom.engine.rows.detached import LEAST_BYTES, detach, detach_few
from logboom.engine.rows.table import Table

ROWS, MESSAGE_BYTES = 40_000, 5000
ALL_MB = ROWS * MESSAGE_BYTES >> 20


def read_rss_mb() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line) // 1024


def make_texts() -> pl.DataFrame:
    number = pl.int_range(ROWS, eager=True).alias("n").to_frame()
    return number.with_columns(x=pl.lit("-" * MESSAGE_BYTES) + pl.col("n").cast(pl.String))


def choose(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("n") % 1000 == 0)


def test_what_rows_were_chosen_from_can_be_freed() -> None:
    before_mb = read_rss_mb()
    few = detach_few(Table(choose(make_texts())), ALL_MB << 20)
    assert few.height == ROWS // 1000
    poll_until(lambda: read_rss_mb() < before_mb + ALL_MB // 2, "the other rows to be freed")


def test_what_lists_were_chosen_from_can_be_freed() -> None:
    before_mb = read_rss_mb()
    few = detach(choose(make_texts().with_columns(pl.concat_list("x"))))
    assert few.height == ROWS // 1000
    poll_until(lambda: read_rss_mb() < before_mb + ALL_MB // 2, "the other rows to be freed")


def test_rows_are_the_same_afterwards() -> None:
    frame = pl.DataFrame(
        {
            "text": ["a", None, "", "long enough to be in a buffer"],
            "texts": [["a", None], [], None, ["long enough to be in a buffer"]],
            "number": [1, None, 3, 4],
            "numbers": [[1], [], None, [2, None]],
        }
    )
    for rows in (frame, frame.clear(), frame.head(1), frame.select([])):
        assert detach(rows).equals(rows)
        assert detach(rows).schema == rows.schema


def test_little_is_left_as_it_is() -> None:
    table = Table(pl.DataFrame({"text": ["a"]}))
    assert detach_few(table, LEAST_BYTES - 1) is table
    assert detach_few(table, LEAST_BYTES) is not table
