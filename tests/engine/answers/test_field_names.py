"""Fields of any name: what an event calls its fields never meets what the engine calls its own columns."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.engine.stored import Stored
from tests.together import together

import logboom.engine
from logboom.engine.answers.export import FORMATS
from logboom.engine.answers.fields.panel import Panel, read_panel
from logboom.engine.answers.histogram import Bars, compute_histogram
from logboom.lang.format.values import format_field
from logboom.model.columns import parse_column
from logboom.model.names import CORE_FIELDS, fold_name
from logboom.model.rows import CORE_SCHEMA

SOURCES = [path.read_text() for path in Path(logboom.engine.__file__).parent.rglob("*.py")]
CALLS = [call for text in SOURCES for call in re.findall(r"internal[(,][^\n]*", text)]
INTERNAL = sorted({name for call in CALLS for name in re.findall(r'"([^"{]+)"', call)})
"""Every internal column with a fixed name."""
STORED = [name for name in (*CORE_SCHEMA, "_node", "_day") if name not in CORE_FIELDS]
CLASHING = [
    "_seq", "_node", "_label", "_0.n", "_remark.0.x", "_key.plain", "_other/plain", "_REST", "OWN.0.n",
    "OWN.plain", "_seq:int", "plain:str", "x:int", "_", ":int", "^plain$", "\0key",
]  # fmt: skip
"""Names that read like columns of some kind, and one that Polars takes as a pattern."""
OTHERS = [*STORED, *(f"_{name}" for name in INTERNAL)]
NAMES = list({fold_name(name): name for name in (*CLASHING, *OTHERS)}.values())
TURNS = 4
VALUES: list[Any] = ["alpha", "beta", 7, 7.5, True, ["alpha", "gamma"], "beta", None]

SLOW = [
    "* | sort -F, n | fields n, F",
    "* | join F (F:alpha | eval found=n | fields F, found) | sort n | fields n, found",
    "* | join n (n<3 | fields n, F) | sort n | fields n, F",
    "n=3 | context before=1 after=1 same=F | fields n",
    "* | eventstats count as c by F | sort n | fields n, c",
    "* | sort n | streamstats count as c by F | fields n, c",
]  # fmt: skip
QUESTIONS = [
    *SLOW,
    "F:alpha | sort n",
    "F>5 | sort n",
    "NOT F:* | fields n",
    "* | stats count, values(n) as v by F",
    "* | stats values(X) as v, dc(X) as d, mode(X) as m, first(X) as f, max(X) as x by odd",
    "* | eval y=X | sort n | fields n, y",
    "* | eval F=n*2 | sort n | fields n, F",
    '* | where X == "alpha" or isnull(X) | sort n | fields n',
    "* | dedup F | sort n | fields n",
    "* | top F by odd",
    "* | timechart span=1h count by F",
    "* | transaction F | fields -messages",
    "* | eventstats count as F by odd | sort n | fields n, F",
    "* | stats count as F by odd",
    "* | rename F as y | sort n | fields n, y",
    "* | rename n as F | sort F | fields F",
    "* | drop F | sort n | fields *",
    "* | fillnull value=none F | sort n | fields n, F",
    "* | sort n | delta F as d | fields n, d",
    "* | stats count by F | union (* | stats count by F) | stats sum(count) as c by F",
    "* | sample 1 | stats count by F",
    "* | uniq by F | sort F",
    "* | patterns by F",
]  # fmt: skip


def ask(stored: Stored, env: str, question: str, name: str) -> str:
    """The answer to a question about a field, with a word in place of the field's name."""
    query = question.replace("F", format_field(name)).replace("X", f"`{name}`")
    answer = stored.search(env, query, limit=1000)
    rows = [
        {"F" if fold_name(key) == fold_name(name) else key: value for key, value in row.items()}
        for row in answer.rows
    ]
    service = {*CORE_FIELDS, *map(fold_name, NAMES), "plain"}
    return json.dumps(
        [{k: v for k, v in row.items() if k == "F" or fold_name(k) not in service} for row in rows]
    )


def make_events(names: list[str], values: list[Any], start: int = 0) -> list[dict[str, Any]]:
    return [
        {"timestamp": 1_700_000_000 + n, "message": f"m{n}", "n": n, "odd": n % 2}
        | dict.fromkeys(names, value)
        for n, value in enumerate(values, start)
    ]


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    wide.keep(env, make_events(["plain", *NAMES], VALUES[:5]))
    wide.keep(env, make_events(["plain", *NAMES], VALUES[5:], start=5))
    return env


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_field_of_any_name_answers_like_a_plain_one(
    wide: Stored, env: str, question: str
) -> None:
    expected = ask(wide, env, question, "plain")
    assert json.loads(expected)
    for name in CLASHING if question in SLOW else choose_names(question):
        assert ask(wide, env, question, name) == expected, name


def choose_names(question: str) -> list[str]:
    """Names that read like columns, and some of the others: each of them is asked for by several questions."""
    turn = QUESTIONS.index(question) % TURNS
    return [*CLASHING, *OTHERS[turn::TURNS]]


@together("question", QUESTIONS)
def test_fields_without_a_column_answer_alike(narrow: Stored, question: str) -> None:
    env = narrow.make_env()
    narrow.keep(env, make_events(["plain", *CLASHING[:4]], VALUES))
    expected = ask(narrow, env, question, "plain")
    assert json.loads(expected)
    for name in CLASHING[:4]:
        assert ask(narrow, env, question, name) == expected, name


def test_a_field_may_be_called_like_the_count_of_its_groups(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"count": "a", "message": "m"}, {"count": "a"}, {"count": "b"}])
    answer = wide.search(env, "* | stats count as n by count")
    assert answer.rows == [{"count": "a", "n": 2}, {"count": "b", "n": 1}]


def test_the_field_panel_lists_every_name(wide: Stored, env: str) -> None:
    for query in ("", "odd:*"):
        finder = wide.make_finder(env, query)
        panel = read_panel(finder.find(finder.prepare(finder.request), Panel()))
        by_name = {each.name: each for each in panel}
        expected = by_name["plain"]
        assert {"message", "n", "odd", "_index", "plain", *map(fold_name, NAMES)} <= by_name.keys()
        for name in map(fold_name, NAMES):
            found = by_name[name]
            assert (found.count, found.types, found.top) == (
                expected.count,
                expected.types,
                expected.top,
            ), name


@together("name", CLASHING)
def test_a_histogram_is_split_by_any_name(wide: Stored, env: str, name: str) -> None:
    expected, found = (
        compute_histogram(wide.make_finder(env), Bars(by=by)) for by in ("plain", name)
    )
    assert found == expected


@pytest.mark.parametrize("format_", FORMATS)
def test_exports_have_every_name(wide: Stored, env: str, format_: str, tmp_path: Path) -> None:
    data = b"".join(FORMATS[format_].write(wide.make_finder(env, "n=0"), None))
    match format_:
        case "ndjson":
            row = json.loads(data)
        case "csv":
            row = next(csv.DictReader(io.StringIO(data.decode(), newline="")))
        case _:
            row = {
                parse_column(each).field: cell
                for each, cell in pl.read_parquet(data).row(0, named=True).items()
            }
    shown = {fold_name(each): cell for each, cell in row.items()}
    assert {name: shown[name] for name in map(fold_name, NAMES)} == dict.fromkeys(
        map(fold_name, NAMES), "alpha"
    )
    assert set(CORE_FIELDS) <= shown.keys()
