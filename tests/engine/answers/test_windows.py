"""Groups in many windows of time: right whatever was asked before, and read once."""

import itertools
from collections import Counter

import pytest
from tests.engine.stored import Stored

from logboom.base.clock import NS_PER_S
from logboom.engine.answers.windows import list_groups
from logboom.engine.pipes.groups.windows import Sliding

FIRST_S = -40
EVENTS = [
    {"timestamp": 1_000_000_000 + n, "host": "abc"[n % 3], "n": n} for n in range(FIRST_S, 60)
]
QUERY = "* | stats count as found by host"
WHOLE = Sliding((1_000_000_000 - 100) * NS_PER_S, 20 * NS_PER_S, 10 * NS_PER_S, 20)


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    env = wide.make_env()
    for start in range(0, len(EVENTS), 25):
        wide.keep(env, EVENTS[start : start + 25])
    return env


def ask(
    stored: Stored, env: str, sliding: Sliding, query: str = QUERY
) -> tuple[Counter[object], int]:
    """Return the figures by window and key, and how many rows were read for them."""
    finder = stored.make_finder(env, query)
    rows = list_groups(finder, sliding, ["host"], "found").rows()
    assert len({row[:2] for row in rows}) == len(rows)
    scanned = sum(run.cost.rows_scanned for run in finder.runs)
    return Counter({(window, host): figure for window, host, figure in rows}), scanned


def count(sliding: Sliding) -> Counter[object]:
    found: Counter[object] = Counter()
    for event, window in itertools.product(EVENTS, range(sliding.count)):
        first_ns = sliding.first_ns + window * sliding.step_ns
        if first_ns <= int(str(event["timestamp"])) * NS_PER_S < first_ns + sliding.length_ns:
            found[window, event["host"]] += 1
    return found


@pytest.mark.parametrize("shift_ns", [0, 1, NS_PER_S // 2, -7 * NS_PER_S])
@pytest.mark.parametrize(("length_s", "step_s"), [(10, 10), (25, 10), (3, 10), (7, 4)])
def test_windows_may_follow_each_other_in_any_way(
    wide: Stored, env: str, length_s: int, step_s: int, shift_ns: int
) -> None:
    first_ns = (1_000_000_000 - 30) * NS_PER_S + shift_ns
    for number, moved in itertools.product((1, 9), (0, step_s, 2)):
        start_ns = first_ns + moved * NS_PER_S
        sliding = Sliding(start_ns, length_s * NS_PER_S, step_s * NS_PER_S, number)
        assert ask(wide, env, sliding)[0] == count(sliding)
        assert ask(wide, env, sliding)[0] == count(sliding)


def test_blocks_are_read_once_for_windows_that_move(wide: Stored, env: str) -> None:
    wide.engine.forget()
    first, scanned = ask(wide, env, WHOLE)
    assert scanned == len(EVENTS)
    again, scanned = ask(wide, env, WHOLE)
    assert (again, scanned) == (first, 0)
    moved = Sliding(WHOLE.first_ns + 2 * WHOLE.step_ns, WHOLE.length_ns, WHOLE.step_ns, 18)
    found, scanned = ask(wide, env, moved)
    assert scanned == 0
    assert found == count(moved) != first


def test_other_slots_are_read_again(wide: Stored, env: str) -> None:
    wide.engine.forget()
    ask(wide, env, WHOLE)
    for sliding in (
        Sliding(WHOLE.first_ns + 1, WHOLE.length_ns, WHOLE.step_ns, WHOLE.count),
        Sliding(WHOLE.first_ns, 15 * NS_PER_S, WHOLE.step_ns, WHOLE.count),
    ):
        found, scanned = ask(wide, env, sliding)
        assert scanned == len(EVENTS)
        assert found == count(sliding)


def test_windows_of_the_first_years_are_counted(wide: Stored) -> None:
    env = wide.make_env()
    wide.keep(env, [{"timestamp": f"1969-12-31T23:59:{n:02}Z", "host": "a"} for n in range(60)])
    sliding = Sliding(-45 * NS_PER_S, 20 * NS_PER_S, 10 * NS_PER_S, 5)
    expected = {(0, "a"): 20, (1, "a"): 20, (2, "a"): 20, (3, "a"): 15, (4, "a"): 5}
    assert ask(wide, env, sliding)[0] == expected
