"""How rows are written: to terminals, to files, to spreadsheets."""

import csv
import io
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from logboom.cli.answers import SearchAnswer
from logboom.cli.output import show_remarks, write_csv, write_json, write_line, write_table

STYLE = re.compile(r"\x1b\[[\d;]*m")
EVIL = "a\x1b[2J\x9b1m\nb\u202e"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def make_found(*rows: dict[str, Any], type: str = "table") -> SearchAnswer:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return SearchAnswer(type, columns, list(rows), complete=True, warnings=[])


def write(found: SearchAnswer, output: io.StringIO) -> str:
    write_table(found, output)
    return output.getvalue()


def make_event(**fields: object) -> dict[str, object]:
    own = {"_time": "2023-11-14T22:13:20.123456789Z", "_id": "1", "_env": "e", "_index": "i"}
    return {**own, **fields}


def test_a_table_in_a_file_is_aligned_and_never_folded() -> None:
    found = make_found({"a": "世界", "b": "x" * 500}, {"a": "longer", "b": None}, {"a": 1.5})
    assert write(found, io.StringIO()).splitlines() == [
        "a       b",
        f"世界    {'x' * 500}",
        "longer",
        "1.5",
    ]


def test_a_huge_cell_moves_only_its_own_line() -> None:
    found = make_found({"a": "x" * 1000, "b": 1}, {"a": "y", "b": 2})
    lines = write(found, io.StringIO()).splitlines()
    assert [len(line) for line in lines] == [63, 1003, 63]


def test_a_terminal_gets_a_table_of_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    event = make_event(level="error", message="word " * 40, user="ann", n=1)
    text = write(make_found(event, type="events"), Terminal())
    assert "\x1b[31m" in text
    plain = STYLE.sub("", text)
    assert all(cell_len(line) <= 60 for line in plain.splitlines())
    assert "2023-11-14T22:13:20.123456789Z" in plain
    assert "user=ann" in plain


def test_every_field_of_an_event_is_shown_once() -> None:
    fields = {f"f{n}": n for n in range(30)}
    (header, line) = write(
        make_found(make_event(**fields), type="events"), io.StringIO()
    ).splitlines()
    assert header.split() == ["_time", "fields"]
    assert line.split()[1:] == [f"f{n}={n}" for n in range(30)]


@pytest.mark.parametrize("output", [io.StringIO, Terminal])
@pytest.mark.parametrize("type", ["events", "table"])
def test_log_text_cannot_control_a_terminal(
    output: type[io.StringIO], type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "1000")
    row = make_event(message=EVIL, level=EVIL, tags=[EVIL, {EVIL: 1}], **{EVIL: EVIL})
    text = STYLE.sub("", write(make_found(row, type=type), output()))
    assert len(text.splitlines()) == 2
    assert not set("\x1b\x9b\u202e") & set(text)
    assert "a\\u001b[2J\\u009b1m\\nb\\u202e" in text


def test_markup_of_rich_is_just_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    text = write(make_found({"[red]a": "[bold]b[/] :smile:"}), Terminal())
    assert "[red]a" in text
    assert "[bold]b[/] :smile:" in text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_says_exactly_what_was_found(text: str) -> None:
    output = io.StringIO()
    write_json(make_found({text: [text, 1, True, None]}), output)
    (line,) = output.getvalue().splitlines()
    assert json.loads(line) == {text: [text, 1, True, None]}


def test_csv_defuses_formulas_but_not_numbers() -> None:
    output = io.StringIO()
    rows: list[dict[str, Any]] = [
        {"=a": "=1+1"},
        {"=a": "-5"},
        {"=a": -5},
        {"=a": "x,\ny"},
        {"=a": ["t"]},
    ]
    write_csv(make_found(*rows), output)
    cells = [cell for (cell,) in csv.reader(io.StringIO(output.getvalue()))]
    assert cells == ["'=a", "'=1+1", "-5", "-5", "x,\ny", '["t"]']


def test_csv_for_a_terminal_is_harmless() -> None:
    output = Terminal()
    write_csv(make_found({"a": EVIL}), output)
    assert output.getvalue() == "a\na\\u001b[2J\\u009b1m\\nb\\u202e\n"


@pytest.mark.parametrize("type", ["events", "table"])
def test_no_rows_write_nothing(type: str) -> None:
    found = SearchAnswer(type, ["a"], [], complete=True, warnings=[])
    for write_rows, expected in ((write_table, ""), (write_json, ""), (write_csv, "a\n")):
        output = io.StringIO()
        write_rows(found, output)
        assert output.getvalue() == expected


def test_remarks_are_harmless_and_not_folded() -> None:
    errors = io.StringIO()
    warnings = [{"code": "memory", "message": "x" * 200 + EVIL}]
    found = SearchAnswer("events", [], [], complete=False, warnings=warnings)
    show_remarks(found, Console(file=errors))
    first, *rest = errors.getvalue().splitlines()
    assert first.startswith("memory: " + "x" * 200 + "a\\u001b")
    assert rest == ["the answer is incomplete", "nothing found"]


def test_pages_add_up() -> None:
    first = SearchAnswer("events", ["a"], [{"a": 1}], True, [{"code": "w"}], cursor="c")
    second = SearchAnswer("events", ["b", "a"], [{"b": 2}], False, [{"code": "w"}, {"code": "v"}])
    both = first.extend(second)
    assert (both.columns, both.rows) == (["a", "b"], [{"a": 1}, {"b": 2}])
    assert (both.complete, both.cursor) == (False, None)
    assert both.warnings == [{"code": "w"}, {"code": "v"}]


def test_what_stands_in_for_a_missing_message_is_shown_as_one() -> None:
    events = [
        make_event(message="first", log="extra"),
        make_event(log="second\n", stream="stdout"),
        make_event(short_message="third", version="1.1"),
    ]
    header, *lines = write(make_found(*events, type="events"), io.StringIO()).splitlines()
    assert header.split() == ["_time", "message", "fields"]
    assert [line.split()[1:] for line in lines] == [
        ["first", "log=extra"],
        ["second", "stream=stdout"],
        ["third", "version=1.1"],
    ]
    assert write_line(events[1]).split()[1:] == ["second", "stream=stdout"]


def test_json_and_csv_show_events_as_they_came() -> None:
    found = make_found(make_event(log="second\n"), type="events")
    outputs = [io.StringIO(), io.StringIO()]
    write_json(found, outputs[0])
    write_csv(found, outputs[1])
    assert json.loads(outputs[0].getvalue()) == found.rows[0]
    assert "message" not in outputs[1].getvalue()
