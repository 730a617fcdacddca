"""Which blocks and rows a request looks at."""

from logboom.control.access.globs import IndexBounds
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.terms.request import Request
from logboom.lang.parse import parse


def test_indexes_are_covered_by_any_of_the_globs() -> None:
    scope = SearchScope.of_request(Request(parse(""), ("env",), indexes=("web-*", "db?", "one")))
    names = ("web-", "web-1", "web", "db1", "db", "one", "ones")
    assert [name for name in names if scope.covers_index(name)] == ["web-", "web-1", "db1", "one"]


def test_what_is_asked_for_must_also_be_allowed() -> None:
    scope = SearchScope.of_request(
        Request(parse(""), ("env",), indexes=("*",), allowed=IndexBounds(("web-*",)))
    )
    assert scope.covers_index("web-1")
    assert not scope.covers_index("db")


def test_the_services_own_indexes_are_in_bounds_only_for_those_who_may_see_them() -> None:
    def covers(*, reserved: bool) -> bool:
        allowed = IndexBounds(("*", "_self"), reserved=reserved)
        request = Request(parse(""), ("env",), indexes=("_self",), allowed=allowed)
        return SearchScope.of_request(request).covers_index("_self")

    assert covers(reserved=True)
    assert not covers(reserved=False)
