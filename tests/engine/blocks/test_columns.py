"""The column cache gives the same columns as the file, and stays within its size."""

from pathlib import Path

import polars as pl
import pytest

from logboom.engine.blocks.columns import ColumnCache

ROWS = 1000
FRAME = pl.DataFrame(
    {"a": range(ROWS), "b": [f"text {row}" for row in range(ROWS)], "c": [[1, 2]] * ROWS}
)


def read(cache: ColumnCache, location: str, names: list[str]) -> pl.DataFrame:
    return cache.read(location, lambda _part, read_file: read_file(location), names)


@pytest.fixture
def location(tmp_path: Path) -> str:
    FRAME.write_parquet(tmp_path / "block.parquet")
    return str(tmp_path / "block.parquet")


@pytest.mark.parametrize("capacity_bytes", [0, 20_000, 10_000_000])
def test_columns_come_as_asked_for(location: str, capacity_bytes: int) -> None:
    cache = ColumnCache(capacity_bytes)
    for names in (["a"], ["b", "a"], ["c", "b", "a"], ["a", "a"]):
        assert read(cache, location, names).equals(FRAME.select(*dict.fromkeys(names)))


def test_what_was_read_is_not_read_again(location: str) -> None:
    cache = ColumnCache(10_000_000)
    read(cache, location, ["a", "b"])
    Path(location).unlink()
    assert read(cache, location, ["b"]).equals(FRAME.select("b"))
    with pytest.raises(FileNotFoundError):
        read(cache, location, ["c"])


def test_the_least_recently_used_column_makes_room(location: str, tmp_path: Path) -> None:
    size_bytes = int(FRAME["a"].estimated_size())
    cache = ColumnCache(9 * size_bytes)
    for number in range(10):
        FRAME.select("a").write_parquet(tmp_path / f"{number}.parquet")
        read(cache, str(tmp_path / f"{number}.parquet"), ["a"])
        read(cache, str(tmp_path / "0.parquet"), ["a"])
    for number in range(10):
        (tmp_path / f"{number}.parquet").unlink()
    kept = []
    for number in range(10):
        try:
            read(cache, str(tmp_path / f"{number}.parquet"), ["a"])
            kept.append(number)
        except FileNotFoundError:
            pass
    assert kept == [0, *range(2, 10)]


@pytest.mark.parametrize("text", ["the same", "a text that is longer than a view", "", None])
def test_a_column_of_the_same_text_takes_no_memory(text: str | None, tmp_path: Path) -> None:
    location = str(tmp_path / "same.parquet")
    same = pl.DataFrame({"s": [text] * ROWS}, {"s": pl.String})
    same.write_parquet(location)
    cache = ColumnCache(1000)
    read(cache, location, ["s"])
    assert cache.size_bytes < 100
    Path(location).unlink()
    assert read(cache, location, ["s"]).equals(same)
    stretch = cache.read(location, lambda _part, _read_file: pl.DataFrame(), ["s"], (5, 7))
    assert stretch.equals(same.slice(5, 7))


@pytest.mark.parametrize("texts", [["a", "b"], ["a", None, "a"], ["a", "b", "a"], ["a"], []])
def test_columns_of_other_texts_stay_as_they_are(texts: list[str | None], tmp_path: Path) -> None:
    location = str(tmp_path / "texts.parquet")
    frame = pl.DataFrame({"s": texts}, {"s": pl.String})
    frame.write_parquet(location)
    cache = ColumnCache(1000)
    for _ in range(2):
        assert read(cache, location, ["s"]).equals(frame)
