"""The tool runner: what a key may use up, which arguments it takes, and the figures of its tools."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.agents import ask, call, list_data, make_key, make_runner
from tests.running import RunningService, encode_lines
from tests.together import together

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Overloaded
from logboom.base.process.deadline import Deadline
from logboom.lang.parse import read
from logboom.lang.parse.pipes import CANONICAL
from logboom.mcp.access import admit
from logboom.mcp.language import FILTERS, PIPES
from logboom.mcp.limits import MOST_KEYS, Allowance, Budget
from logboom.mcp.table import TOOLS
from logboom.mcp.tool_runner import Visit


class HandClock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now_ns = 1_700_000_000 * NS_PER_S

    def __call__(self) -> int:
        return self.now_ns


@pytest.mark.parametrize(
    ("use", "noun"),
    [
        ((0, 0, 0.0), "calls"),
        ((2_000, 0, 0.0), "rows"),
        ((0, 80_000, 0.0), "bytes"),
        ((0, 0, 10.0), "seconds"),
    ],
    ids=["calls", "rows", "bytes", "seconds"],
)
def test_a_key_has_a_budget_for_each_minute(use: tuple[int, int, float], noun: str) -> None:
    clock = HandClock()
    budget = Budget(Allowance(10), clock)
    calls = 10 if noun == "calls" else 1
    for _ in range(calls):
        budget.take_call("a")
    budget.charge("a", *use)
    clock.now_ns += 20 * NS_PER_S
    with pytest.raises(Overloaded, match=f"{noun} of this minute, try again in 40 s"):
        budget.take_call("a")
    budget.take_call("b")
    clock.now_ns += 40 * NS_PER_S
    budget.take_call("a")


def test_the_budget_remembers_a_bounded_number_of_keys() -> None:
    budget = Budget(Allowance(1), HandClock())
    for number in range(MOST_KEYS + 10):
        budget.take_call(str(number))
    assert len(budget._used) == MOST_KEYS


def test_a_key_that_has_used_up_its_calls_is_told_so(service: RunningService, env: str) -> None:
    key, runner = make_key(service, envs=(env,)), make_runner(service, calls=2)
    assert not call(service, key, "count", runner).is_error
    assert not call(service, key, "count", runner).is_error
    refused = call(service, key, "count", runner)
    assert refused.result == "overloaded"
    assert "2 calls of this minute" in refused.text
    assert not call(service, make_key(service, envs=(env,)), "count", runner).is_error


def test_arguments_may_come_as_texts(service: RunningService, env: str) -> None:
    """Some models write every argument as a text."""
    service.keep(encode_lines([{"a": n, "b": "x"} for n in range(5)]), {"env": env})
    key = make_key(service, envs=(env,))
    assert len(list_data(ask(service, key, "search", limit="3", fold="false"))) == 3
    assert list_data(ask(service, key, "count", by="b, a", limit="2"))[0] == "b\ta\tcount"
    assert list_data(ask(service, key, "count", by=["b"]))[1] == "x\t5"


def test_a_query_of_another_language_can_be_counted(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"service": "api", "message": "boom"}] * 3), {"env": env})
    key = make_key(service, envs=(env,))
    assert list_data(ask(service, key, "count", query='{service="api"} |= "boom"')) == [
        "count",
        "3",
    ]
    assert "read as LogQL" in ask(service, key, "explain_query", query='{service="api"} |= "boom"')


def test_odd_field_names_are_no_syntax(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"a | drop": 1, "level": "x"}]), {"env": env})
    key = make_key(service, envs=(env,))
    assert list_data(ask(service, key, "count", by=["a | drop"]))[1] == "1\t1"
    assert 'patterns by "level | limit 0" | limit 15' in ask(
        service, key, "patterns", by="level | limit 0"
    )


def test_the_busiest_stretch_is_named(service: RunningService, env: str) -> None:
    quiet = [{"timestamp": 1_700_000_000 + n * 600, "message": "m"} for n in range(100)]
    busy = [{"timestamp": 1_700_030_000 + n, "message": "m"} for n in range(600)]
    service.keep(encode_lines([*quiet, *busy]), {"env": env})
    text = ask(
        service,
        make_key(service, envs=(env,)),
        "chart",
        from_=1_700_000_000,
        to=1_700_060_000,
        buckets=100,
    )
    assert "Busiest stretch: from 2023-11-15T06:30:00Z to 2023-11-15T07:00:00Z, 603 of 700" in text


@pytest.mark.parametrize("range_", [{"from": ""}, {"to": ""}])
def test_a_chart_needs_a_time_range(
    service: RunningService, env: str, range_: dict[str, Any]
) -> None:
    outcome = call(service, make_key(service, envs=(env,)), "chart", **range_)
    assert "no time range, expected from and to" in outcome.text


def test_context_is_shown_in_order(service: RunningService, env: str) -> None:
    events = [
        {"timestamp": 1_700_000_000 + n, "message": f"m{n}", "host": "ab"[n % 2]} for n in range(9)
    ]
    service.keep(encode_lines(events), {"env": env})
    (row,) = service.search("m4", env=env)["rows"]
    key = make_key(service, envs=(env,))
    lines = list_data(ask(service, key, "event_context", id=row["_id"], before=1, after=2))
    assert [line[0] for line in lines] == [" ", ">", " ", " "]
    assert [f" m{n} " in line for n, line in enumerate(lines, 3)] == [True] * 4
    same = list_data(ask(service, key, "event_context", id=row["_id"], same="host"))
    assert all("host=a" in line for line in same)


def test_a_failure_of_ours_is_told_without_details(
    service: RunningService, env: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret details")

    monkeypatch.setattr(service.searching, "search", fail)
    outcome = call(service, make_key(service, envs=(env,)), "count")
    assert outcome.result == "internal"
    assert "secret" not in outcome.text


def test_a_call_that_nobody_waits_for_is_noted_as_cancelled(
    service: RunningService, env: str
) -> None:
    runner = make_runner(service)
    visit = Visit(admit(service.control, f"Bearer {make_key(service, envs=(env,))}"), "", "")
    cancelled = Deadline()
    cancelled.set()
    assert runner.call(visit, TOOLS["count"], {}, cancelled).result == "cancelled"


@together("query", [query for query, _ in (*FILTERS, *PIPES.values())])
def test_examples_of_the_language_are_read_without_remarks(query: str) -> None:
    assert read(query).notices == ()


def test_every_pipe_has_an_example() -> None:
    assert PIPES.keys() == CANONICAL.keys()
    assert all(f"| {name}" in query for name, (query, _) in PIPES.items())


def test_pages_and_documentation_name_every_tool() -> None:
    root = Path(__file__).parents[2]
    listed = re.findall(r"^\| `(\w+)` \|", (root / "docs/mcp.md").read_text(), re.MULTILINE)
    assert [name for name in listed if name in TOOLS] == list(TOOLS)
    page = (root / "ui/src/admin/people/clients.ts").read_text()
    assert re.findall(r"^  '(\w+)',$", page, re.MULTILINE) == list(TOOLS)


@together("tool", TOOLS.values())
def test_schemas_describe_every_argument(tool: Any) -> None:
    schema = tool.schema
    assert "$ref" not in str(schema)
    assert all(member.get("description") for member in schema["properties"].values())
    assert set(schema["required"]) <= set(schema["properties"])
