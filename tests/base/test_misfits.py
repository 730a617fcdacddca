"""Misfits: what the decoder rejects is told in plain words, with the member's name."""

from typing import Annotated, Any, Literal

import msgspec
import pytest

from logboom.base.decoding_errors import describe_decoding_error, explain_decoding_error

COUNT = Annotated[int, msgspec.Meta(ge=1, le=5)]


class Inner(msgspec.Struct, tag="inner"):
    x: int


class Body(msgspec.Struct, forbid_unknown_fields=True):
    needed: str
    count: COUNT = 1
    share: int | float | str | None = None
    name: Annotated[str, msgspec.Meta(min_length=1)] = "a"
    kind: Literal["a", "b"] = "a"
    items: list[int] = []
    by_name: dict[str, bool] = {}
    inner: Inner | None = None


@pytest.mark.parametrize(
    ("changes", "message", "field"),
    [
        ({"count": "x"}, "count is a text, expected a whole number", "count"),
        ({"count": 9}, "count is out of bounds, expected a whole number <= 5", "count"),
        ({"share": []}, "share is a list, expected a number or a text or null", "share"),
        ({"name": ""}, "name is out of bounds, expected a text of length >= 1", "name"),
        ({"kind": "c"}, "kind is 'c', expected one of its known values", "kind"),
        ({"items": [1, "x"]}, "items[1] is a text, expected a whole number", "items"),
        ({"by_name": {"a": 1.5}}, "by_name[...] is a number, expected true or false", "by_name"),
        ({"inner": {"type": "inner"}}, "inner.x is missing", "inner.x"),
        ({"inner": {"type": "odd"}}, "inner.type is 'odd', expected one of its known values", "inner.type"),
        ({"nedeed": 1}, "unknown member 'nedeed'", "nedeed"),
        ({"needed": {}}, "needed is an object, expected a text", "needed"),
    ],
)  # fmt: skip
def test_a_misfit_names_the_member(changes: dict[str, Any], message: str, field: str) -> None:
    with pytest.raises(msgspec.ValidationError) as rejected:
        msgspec.convert({"needed": "", **changes}, Body)
    error = explain_decoding_error(rejected.value)
    assert (error.message, error.data) == (message, {"field": field})


def test_the_whole_value_has_no_name() -> None:
    with pytest.raises(msgspec.ValidationError) as rejected:
        msgspec.convert([], Body)
    error = explain_decoding_error(rejected.value, "the message: ")
    assert error.message == "the message: the value is a list, expected an object"
    assert error.data == {}


def test_other_messages_are_kept() -> None:
    assert describe_decoding_error("too many") == "too many"
    assert describe_decoding_error("too many - at `$.a.b`") == "a.b: too many"
