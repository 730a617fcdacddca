"""A request has one deadline, however many questions its answer takes."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.mcp.agents import make_key, use_client
from tests.readers.loki import FIRST_S
from tests.readers.test_hidden import ASKED, LOKI
from tests.running import RunningService, encode_lines

from logboom.base.process.deadline import Deadline
from logboom.engine.answers.engine import Engine
from logboom.engine.terms.limits import Budget, Limits

LIMIT_S = 30.0


@pytest.fixture
def budgets(monkeypatch: pytest.MonkeyPatch) -> list[Budget]:
    """The budgets of all questions that the engine is asked."""
    asked: list[Budget] = []
    make_finder = Engine.make_finder

    def note(*arguments: Any) -> Any:
        finder = make_finder(*arguments)
        asked.append(finder.budget)
        return finder

    monkeypatch.setattr(Engine, "make_finder", note)
    return asked


@pytest.fixture(scope="module")
def filled(service: RunningService) -> Iterator[str]:
    env = "deadlines"
    service.control.environments.create(env)
    events = [
        {"timestamp": FIRST_S + n, "message": f"request {n}", "level": "info", "took": n}
        for n in range(50)
    ]
    service.keep(encode_lines(events), {"env": env, "index": "open"})
    service.client.headers["X-Scope-OrgID"] = env
    yield env
    del service.client.headers["X-Scope-OrgID"]


def check_budgets(budgets: list[Budget], what: object) -> int:
    """Check that all questions share a deadline that ends in time; return how many there were."""
    assert len({id(budget.deadline) for budget in budgets}) <= 1, what
    assert all(budget.deadline.left_s <= LIMIT_S for budget in budgets), what
    count = len(budgets)
    budgets.clear()
    return count


def test_all_questions_of_a_request_share_its_deadline(
    service: RunningService, filled: str, budgets: list[Budget]
) -> None:
    counts = []
    for method, path, options in ASKED:
        service.client.request(method, path, params={"env": filled}, **options)
        counts.append(check_budgets(budgets, (path, options)))
    for path, parameters in LOKI:
        service.client.get(f"/loki/api/v1/{path}", params=parameters)
        counts.append(check_budgets(budgets, (path, parameters)))
    assert max(counts) > 2


def test_calls_of_tools_have_a_deadline(
    service: RunningService, filled: str, budgets: list[Budget]
) -> None:
    async def count(client: Any) -> None:
        await client.call_tool("search", {"query": "request", "env": filled})

    use_client(service.port, make_key(service), count)
    assert check_budgets(budgets, "search") > 0


def test_a_question_ends_with_the_deadline_of_its_request() -> None:
    late = Budget(Limits(), Deadline(-1.0))
    stop = late.check_time()
    assert stop is not None
    assert stop.code == "timeout"
    assert Budget(Limits(), Deadline(LIMIT_S)).check_time() is None
