"""The guide to the sample data: every query of the page is asked, and answers what the page says."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.running import RunningService
from tests.together import together

Rows = list[dict[str, Any]]
Ask = Callable[[str], Rows]

NOW_NS = 1_772_445_600_000_000_000

PAGE = (Path(__file__).parents[2] / "docs" / "samples.md").read_text()
STEP = re.compile(r"^### \d+\. (.+?)$(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
QUERY = re.compile(r"^```query\n(.*?)^```\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]+)`")

STEPS = dict(STEP.findall(PAGE))
ASKED = [(query, said) for block, said in QUERY.findall(PAGE) for query in block.splitlines()]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks the shop's logs of the last day, which is always the same day."""
    service = RunningService(tmp_path_factory.mktemp("shop"), clock=lambda: NOW_NS)
    service.start()
    answer = service.client.post("/api/samples", json={"seed": 7})
    assert answer.status_code == 201, answer.text

    def ask(query: str) -> Rows:
        answer = service.search(query, **{"from": "-24h"})
        assert answer["complete"]
        assert answer["warnings"] == []
        rows: Rows = answer["rows"]
        return rows

    yield ask
    service.stop()


def ask_step(shop: Ask, title: str) -> list[Rows]:
    """The answers to the queries of a step."""
    return [shop(block.strip()) for block, _ in QUERY.findall(STEPS[title])]


@together(("query", "said"), ASKED)
def test_what_the_page_names_is_in_the_answer(shop: Ask, query: str, said: str) -> None:
    rows = shop(query)
    assert rows
    answered = json.dumps(rows)
    assert [name for name in CODE.findall(said) if name not in answered] == []


def test_errors_are_a_single_mountain(shop: Ask) -> None:
    counts, chart = ask_step(shop, "Is something wrong?")
    assert {row["service"] for row in counts if row["count"] > 200} == {
        *("edge", "web", "checkout", "payments")
    }
    assert {row["service"] for row in counts if row["count"] < 200} == {"worker", "catalog"}
    busy = [at for at, row in enumerate(chart) if row["payments"]]
    assert 2 <= len(busy) <= 4
    assert busy == list(range(busy[0], busy[-1] + 1))


def test_timeouts_are_of_one_region(shop: Ask) -> None:
    (rows,) = ask_step(shop, "What do customers see?")
    assert (rows[0]["http.status"], rows[1]["http.status"]) == (504, 502)
    regions = {row["region"] for row in rows if row["http.status"] != 500}
    assert regions == {"eu-west-1"}
    assert len({row["region"] for row in rows if row["http.status"] == 500}) == 3


def test_payments_is_the_first_to_fail(shop: Ask) -> None:
    (rows,) = ask_step(shop, "Which service fails first?")
    assert [row["service"] for row in rows] == ["cart", "payments", "checkout", "web", "edge"]
    assert [row["level"] for row in rows] == ["info", *["error"] * 4]
    assert rows[1]["duration_ms"] > 9_000
    assert all(row["duration_ms"] > 10_000 for row in rows[2:])


def test_it_is_the_version(shop: Ask) -> None:
    (rows,) = ask_step(shop, "Do all versions of payments fail?")
    good, bad = sorted(rows, key=lambda row: str(row["version"]))
    assert (good["version"], good["errors"]) == ("2.4.0", 0)
    assert bad["version"] == "2.4.1"
    assert bad["errors"] > 0
    assert bad["p95_ms"] > 5_000 > 1_000 > good["p95_ms"]


def test_the_leak_has_a_place(shop: Ask) -> None:
    _, sessions = ask_step(shop, "Who takes the connections?")
    assert [row["db.client"] for row in sessions] == ["payments"]


def test_it_is_over_after_the_rollback(shop: Ask) -> None:
    (rows,) = ask_step(shop, "Since when, and is it over?")
    assert [row["message"].split()[0] for row in rows] == ["deployed", "rolled"]
    begun, ended = (datetime.fromisoformat(row["_time"]) for row in rows)
    answer = shop("service:checkout level:error | fields _time | limit 10000")
    failed = [datetime.fromisoformat(row["_time"]) for row in answer]
    assert begun < min(failed)
    assert max(failed) < ended + timedelta(seconds=15)


def test_the_cost_is_in_the_currencies_of_the_region(shop: Ask) -> None:
    costs, complaints = ask_step(shop, "What did it cost?")
    assert {row["order.currency"] for row in costs} == {"EUR", "GBP", "CHF"}
    assert all(row["lost"] > 0 for row in costs)
    assert len(complaints) > 5


def test_the_table_of_services_is_true(shop: Ask) -> None:
    found = {row["service"]: row["_index"] for row in shop("| stats count by service, _index")}
    table = re.findall(r"^\| (`.+?`) \| `(shop-\w+)` \|", PAGE, re.MULTILINE)
    said = {name: index for names, index in table for name in CODE.findall(names)}
    assert found == said
