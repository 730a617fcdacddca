"""Numbers with more digits than a float are compared, grouped, ordered and computed exactly."""

import operator
from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.stored import Stored
from tests.together import together

BIG = 2**53
VALUES: list[Any] = [
    *(BIG - 1, BIG, BIG + 1, BIG + 2, float(BIG), float(BIG + 2)),
    *(2**63 - 1, -(2**63), 2.0**63, -(2.0**63), 9.3e18, 1.5, -7),
    *("9007199254740993", "9007199254740992.0", " +9223372036854775806 "),
]
LIMITS = ("9007199254740993", "9007199254740992", "9007199254740992.0", "-9223372036854775808")
LARGER = ("9223372036854775806", "9223372036854775807", "9223372036854775808", "1e30")
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@pytest.fixture(scope="module")
def env(wide: Stored) -> str:
    """Half of the values is in each of two blocks."""
    env = wide.make_env()
    events = [{"id": place, "v": value, "one": [value]} for place, value in enumerate(VALUES)]
    wide.keep(env, events[::2])
    wide.keep(env, events[1::2])
    return env


def read(text: Any) -> int | float:
    if not isinstance(text, str):
        return text  # type: ignore[no-any-return]
    return float(text) if "." in text or "e" in text else int(text)


@together("limit", [*LIMITS, *LARGER])
def test_limits_are_not_rounded(wide: Stored, env: str, limit: str) -> None:
    for sign, compare in COMPARISONS.items():
        expected = {place for place, each in enumerate(VALUES) if compare(read(each), read(limit))}
        for query in (f"v{sign}{limit}", f"one{sign}{limit}", f"* | where eval(v {sign} {limit})"):
            assert set(wide.find(env, query)) == expected, query


@together("wanted", [*LIMITS, *LARGER])
def test_only_the_same_number_is_equal(wide: Stored, env: str, wanted: str) -> None:
    equal = {place for place, each in enumerate(VALUES) if read(each) == read(wanted)}
    for field in ("v", "one"):
        found = wide.find(env, f"* | where eval({field} == {wanted})")
        assert set(found) == equal, field
        numbers = {place for place in equal if not isinstance(VALUES[place], str)}
        for query in (f"{field}:{wanted}", f"{field}=={wanted}", f"{field} IN ({wanted}, x)"):
            found = [each for each in wide.find(env, query) if each in numbers]
            assert set(found) == numbers, query


def test_order_and_groups_are_exact(wide: Stored, env: str) -> None:
    rows = wide.search(env, "* | sort v | fields v", limit=100).rows
    ordered = [read(row["v"]) for row in rows]
    assert ordered == sorted(map(read, VALUES))
    numbers = [value for value in VALUES if not isinstance(value, str)]
    groups = wide.search(env, "v:* | eval t = isstr(v) | where t:false | stats count by v").rows
    assert sorted(row["v"] for row in groups) == sorted(set(numbers))  # type: ignore[type-var]
    (row,) = wide.search(env, "* | where NOT eval(isstr(v)) | stats dc(v) as n").rows
    assert row["n"] == len(set(numbers))


@together(
    ("values", "query", "expected"),
    [
        ([BIG + 1, 0.5], "stats values(v) as r", ["0.5", "9007199254740993"]),
        ([BIG, 0.5], "stats values(v) as r", [0.5, float(BIG)]),
        ([0.5, BIG + 1], "sort v | stats list(v) as r", ["0.5", "9007199254740993"]),
        ([2**63 - 1, 2**63 - 1, -(2**63)], "stats sum(v) as r", 2**63 - 2),
        ([2**63 - 1, 2**63 - 1], "stats sum(v) as r", float(2**64)),
        ([-(2**63)], "addtotals v, three | eval r = Total", -(2**63) + 3),
        ([2**63 - 1], "addtotals v, three | eval r = Total", float(2**63)),
        ([2**63 - 1], "addtotals v, half | eval r = Total", float(2**63)),
        ([-(2**63)], "bin v span=1000 as r", -(2**63)),
        ([-(2**63) + 1809], "bin v span=1000 as r", -(2**63) + 1808),
        ([-(2**63)], "stats count by v:1000 | eval r = v", -(2**63)),
        ([float(BIG)], "bin v span=100 as r", BIG - 92),
        ([float(BIG)], "stats count by v:100 | eval r = v", BIG - 92),
        ([7], "stats count by v:100000000000000000000 | eval r = v", 0),
    ],
)
def test_nothing_wraps_or_loses_digits(
    wide: Stored, values: list[Any], query: str, expected: Any
) -> None:
    env = wide.make_env()
    wide.keep(env, [{"id": 0, "v": value, "three": 3, "half": 0.5} for value in values])
    found = wide.search(env, f"* | {query}").rows[0]["r"]
    assert found == expected
    assert type(found) is type(expected)
