"""The queries of docs/open-data.md run as they are printed."""

import json
import re
from pathlib import Path

import duckdb
import pytest
from deltalake import DeltaTable
from tests.store.stores import make_batch, make_store, opened

PAGE = (Path(__file__).parents[1] / "docs" / "open-data.md").read_text()
PROGRAMS: list[str] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
QUERIES: list[str] = re.findall(r"^```sql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def make_event(number: int) -> dict[str, object]:
    return {
        "timestamp": f"2025-03-01T{number % 3:02d}:00:00.{number:09d}Z",
        "service": ("shop", "pay")[number % 2],
        "level": "error",
        "status": 500 + number % 3,
        "duration": number / 4,
        "tags": ["a", f"t{number % 2}"],
    }


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two blocks in `data` below the current directory."""
    monkeypatch.chdir(tmp_path)
    with opened(make_store(tmp_path / "data")) as store:
        for first in (0, 10):
            lines = [json.dumps(make_event(number)) for number in range(first, first + 10)]
            store.submit(make_batch("\n".join(lines).encode())).result()
            store.flush().result()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_printed_program_runs(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(program, "docs/open-data.md", "exec"), {})
    printed = capsys.readouterr().out
    expected = ("shop", "pay") if "service" in program else ("WRITE", ".parquet")
    assert all(each in printed for each in expected), printed


EXPECTED = [
    [("shop", 10, 2.25), ("pay", 10, 2.5)],
    [("2025-03-01 00:00:00+00", 7), ("2025-03-01 01:00:00+00", 7), ("2025-03-01 02:00:00+00", 6)],
    [("a", 20), ("t0", 10), ("t1", 10)],
]


@pytest.mark.parametrize(("query", "expected"), list(zip(QUERIES, EXPECTED, strict=True)))
def test_a_printed_query_answers(query: str, expected: list[tuple[object, ...]]) -> None:
    connection = duckdb.connect()
    connection.execute("SET timezone = 'UTC'")
    logs = connection.read_parquet(DeltaTable("data/store").file_uris(), union_by_name=True)
    answer = logs.query("logs", query)
    assert answer is not None
    assert sorted(answer.fetchall()) == sorted(expected)
