"""Which blocks and rows a request looks at."""

from logboom.engine.request import Request
from logboom.engine.scope import Scope
from logboom.lang.parse import parse


def test_indexes_are_covered_by_any_of_the_globs() -> None:
    scope = Scope.of_request(Request(parse(""), ("env",), indexes=("web-*", "db?", "one")))
    names = ("web-", "web-1", "web", "db1", "db", "one", "ones")
    assert [name for name in names if scope.covers_index(name)] == ["web-", "web-1", "db1", "one"]


def test_what_is_asked_for_must_also_be_allowed() -> None:
    scope = Scope.of_request(Request(parse(""), ("env",), indexes=("*",), allowed=("web-*",)))
    assert scope.covers_index("web-1")
    assert not scope.covers_index("db")
