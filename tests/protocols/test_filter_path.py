"""Which members of an answer a `filter_path` leaves."""

import pytest
from tests.together import together

from logboom.web.search_engine.filter_path import FilterPath

ANSWER: dict[str, object] = {
    "took": 3,
    "items": [{"index": {"_id": None, "status": 201}}, {"create": {"error": {"type": "t"}}}],
}


@together(
    ("text", "expected"),
    [
        ("", ANSWER),
        (" , ", ANSWER),
        ("took", {"took": 3}),
        ("t*k", {"took": 3}),
        ("*", ANSWER),
        ("**", ANSWER),
        ("took.*", {}),
        ("Took", {}),
        ("items", {"items": ANSWER["items"]}),
        ("items.index", {"items": [{"index": {"_id": None, "status": 201}}]}),
        ("items.*._id", {"items": [{"index": {"_id": None}}]}),
        ("items.*.error.type", {"items": [{"create": {"error": {"type": "t"}}}]}),
        ("**.type", {"items": [{"create": {"error": {"type": "t"}}}]}),
        ("**.error.**", {"items": [{"create": {"error": {"type": "t"}}}]}),
        ("items.**.status,took", {"took": 3, "items": [{"index": {"status": 201}}]}),
        ("-items", {"took": 3}),
        ("-took,-items.index", {"items": [{"create": {"error": {"type": "t"}}}]}),
        ("items,-items.*.error", {"items": [{"index": {"_id": None, "status": 201}}]}),
        ("-**.status,-**.type,-took", {"items": [{"index": {"_id": None}}]}),
        ("-", ANSWER),
        ("-*", {}),
    ],
)
def test_what_is_left(text: str, expected: object) -> None:
    assert FilterPath(text).apply(ANSWER) == expected


@pytest.mark.parametrize("text", ["*a" * 2000, "**." * 1300 + "x", ",".join(["*.*"] * 1000)])
def test_an_odd_pattern_takes_no_time(text: str) -> None:
    assert FilterPath(text).apply({"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa": [{"b": 1}] * 3}) is not None
