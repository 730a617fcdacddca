"""Random queries, answered by the engine and by a plain evaluator that was written from the documentation alone."""

from random import Random
from typing import Any, NamedTuple

import pytest
from tests.engine.reference.conditions import write_filter
from tests.engine.reference.events import START_NS, STEP_NS, make_events, make_row
from tests.engine.reference.pipes import write_pipes
from tests.engine.reference.values import Row, is_same, sorting_key
from tests.engine.stored import Stored

QUERIES = 40
NAMES = "id, n, f, s, m, flag, tags, sizes, http.status, nope, message, made, step, out0, out1, out2, count"
"""Every column that a query can make."""
SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(6, 150))]


class Asked:
    """One set of events and the queries about it; a seed always makes the same ones."""

    def __init__(self, stored: Stored, seed: int) -> None:
        self.random = Random(seed)
        self.stored = stored
        self.events = make_events(self.random)
        self.env = stored.make_env()
        cut = self.random.randint(0, len(self.events))
        for part in (self.events[:cut], self.events[cut:]):
            stored.keep(self.env, part)

    def write(self) -> "Question":
        found = write_filter(self.random, 1)
        first, last = 0, len(self.events)
        if self.random.random() < 0.3:
            first, last = sorted(self.random.choices(range(last + 1), k=2))
        everything = [make_row(event) for event in self.events[first:last][::-1]]
        pipes, is_ordered = write_pipes(self.random, self.random.randint(0, 4), everything)
        rows = list(filter(found.passes, everything))
        for pipe in pipes:
            rows = pipe.apply(rows)
        text = " | ".join([found.text, *(pipe.text for pipe in pipes), f"fields {NAMES}"])
        span = {"from_ns": START_NS + first * STEP_NS, "to_ns": START_NS + last * STEP_NS}
        return Question(text, span, rows, is_ordered)

    def find_differences(self, questions: list["Question"]) -> dict[str, str]:
        """What is wrong with the answers, by query."""
        found = {each.text: find_difference(self.ask(each), each) for each in questions}
        return {text: difference for text, difference in found.items() if difference}

    def ask(self, question: "Question") -> list[Row]:
        answer = self.stored.search(self.env, question.text, limit=10_000, **question.span)
        assert answer.complete
        return [flatten(row) for row in answer.rows]


class Question(NamedTuple):
    """A query, the range of time, the expected rows, and whether their order is determined."""

    text: str
    span: dict[str, int]
    rows: list[Row]
    is_ordered: bool


def flatten(row: dict[str, Any]) -> Row:
    plain = {**row, "http.status": (row.get("http") or {}).get("status", row.get("http.status"))}
    plain.pop("http", None)
    return {name: value for name, value in plain.items() if value not in (None, [])}


def find_difference(found: list[Row], question: Question) -> str | None:
    expected = question.rows
    if not question.is_ordered:
        found, expected = sorted(found, key=sorting_key), sorted(expected, key=sorting_key)
    if len(found) != len(expected):
        return f"{len(found)} rows, expected {len(expected)}"
    for one, other in zip(found, expected, strict=True):
        names = {*one, *other}
        different = [name for name in names if not is_same(one.get(name), other.get(name))]
        if different:
            return f"{different}: {one}, expected {other}"
    return None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_engine_answers_as_documented(stored: Stored, seed: int) -> None:
    """From two blocks, then from one without anything remembered."""
    asked = Asked(stored, seed)
    questions = [asked.write() for _ in range(QUERIES)]
    differences = asked.find_differences(questions)
    stored.store.compactor.compact(lambda _: True)
    stored.reopen_engine()
    assert differences | asked.find_differences(questions) == {}
