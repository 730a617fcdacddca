"""The oracle itself: each way to break the promise turns it red."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.process.ledger import Batch, Ledger, Outcome
from tests.together import together

Row = dict[str, Any]


def make_ledger() -> tuple[Ledger, Batch, list[Row]]:
    """A ledger with one batch of three and the rows a sound service finds."""
    ledger = Ledger("run")
    batch = ledger.make_batch(3)
    return ledger, batch, [{"_id": "x"} | batch.make_row(place) for place in range(3)]


def test_a_store_that_holds_what_was_acked_is_clean() -> None:
    ledger, batch, rows = make_ledger()
    batch.outcome = Outcome.ACKED
    ledger.judge(rows).assert_clean()


def test_an_unanswered_batch_may_be_there_or_not() -> None:
    ledger, _, rows = make_ledger()
    ledger.judge(rows).assert_clean()
    ledger.judge([]).assert_clean()


@together(
    ("outcome", "change", "finding"),
    [
        (Outcome.ACKED, lambda rows: rows[:2], "lost"),
        (Outcome.ACKED, lambda rows: [], "lost"),
        (Outcome.UNKNOWN, lambda rows: rows[:2], "torn"),
        (Outcome.UNKNOWN, lambda rows: [*rows, rows[0]], "duplicated"),
        (Outcome.REFUSED, lambda rows: rows, "refused"),
        (Outcome.ACKED, lambda rows: [*rows, rows[0] | {"place": 3}], "unsent"),
        (Outcome.ACKED, lambda rows: [*rows, {"message": "who am I"}], "unsent"),
        (Outcome.ACKED, lambda rows: [*rows[:2], rows[2] | {"message": "x"}], "altered"),
        (Outcome.ACKED, lambda rows: [*rows[:2], rows[2] | {"_time": "x"}], "altered"),
    ],
)
def test_each_difference_is_found(
    outcome: Outcome, change: Callable[[list[Row]], list[Row]], finding: str
) -> None:
    ledger, batch, rows = make_ledger()
    batch.outcome = outcome
    verdict = ledger.judge(change(rows))
    assert [name for name, found in vars(verdict).items() if found] == [finding]
    with pytest.raises(AssertionError, match=finding):
        verdict.assert_clean()


def test_an_error_without_advice_to_retry_is_not_accepted() -> None:
    ledger, batch, _ = make_ledger()
    with pytest.raises(AssertionError):
        ledger.record(batch, httpx.Response(500))
    with pytest.raises(AssertionError):
        ledger.record(batch, httpx.Response(503))
    ledger.record(batch, httpx.Response(503, headers={"Retry-After": "1"}))
    assert batch.outcome is Outcome.UNKNOWN
