"""What the meaning of a clause depends on besides the clause, and how its names are read."""

from collections.abc import Callable, Iterable

from msgspec import field

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct, MutableStruct
from logboom.lang import ast

MOST_LEVELS = 40
"""How deep clauses may be nested."""
TIME = "_time"
TIME_NAMES = frozenset({"@timestamp", "timestamp", TIME})
KEYWORD = ".keyword"
ANY_FIELD = "*"
LONGEST_NAME = 1024
MOST_TESTS = 20_000
"""How many tests all filters of a request may have; as a query these would already be too long."""

Read = Callable[[object, "Context"], ast.Filter]


class Names(InternalStruct, frozen=True):
    """How fields of a request are called here."""

    own_keywords: frozenset[str] = frozenset()
    """Fields, folded, whose own names end with `.keyword`; elsewhere that names the field before it."""

    def find(self, written: object) -> str:
        """Return the name of a field; the time of events has several in requests."""
        if not isinstance(written, str) or not 0 < len(written) <= LONGEST_NAME:
            raise malformed(f"field name {str(written)[:80]!r}, expected a text")
        if written.lower() in TIME_NAMES:
            return TIME
        if written.endswith(KEYWORD) and written.lower() not in self.own_keywords:
            return written.removesuffix(KEYWORD) or written
        return written


class Allowance(MutableStruct):
    """How many tests a request may still have. Each word of a query is one in every field that is searched."""

    left: int = MOST_TESTS

    def spend(self, tests: int) -> None:
        self.left -= tests
        if self.left < 0:
            raise too_many_tests()


class Context(InternalStruct, frozen=True):
    """The context of a clause.

    `read` reads a clause inside another one; `default_fields` are those of query strings that name none.
    """

    now_ns: int
    names: Names
    read: Read
    default_fields: tuple[str, ...] = (ANY_FIELD,)
    levels: int = 0
    allowance: Allowance = field(default_factory=Allowance)


def malformed(message: str) -> Invalid:
    return Invalid(message, type="parsing_exception")


def unsupported(message: str) -> Invalid:
    return Invalid(message, type="illegal_argument_exception")


def too_many_tests() -> Invalid:
    return unsupported(
        f"the request has more than {MOST_TESTS} tests of fields, expected fewer clauses, values or fields"
    )


def is_message(field: str) -> bool:
    """Return whether words are searched inside the values of a field."""
    return field.lower() == ast.MESSAGE


def join_all(filters: list[ast.Filter]) -> ast.Filter:
    """Return what matches all of them, flattened, so that times stay at the top."""
    terms: list[ast.Filter] = []
    for each in filters:
        terms += each.terms if isinstance(each, ast.And) else (each,)
    left = list(dict.fromkeys(each for each in terms if each != EVERYTHING))
    return ast.And(tuple(left)) if len(left) > 1 else (*left, EVERYTHING)[0]


def join_any(filters: list[ast.Filter]) -> ast.Filter:
    """Return what matches one of them; nothing if there are none."""
    terms: list[ast.Filter] = []
    for each in filters:
        terms += each.terms if isinstance(each, ast.Or) else (each,)
    if EVERYTHING in terms:
        return EVERYTHING
    left = list(dict.fromkeys(each for each in terms if each != NOTHING))
    return ast.Or(tuple(left)) if len(left) > 1 else (*left, NOTHING)[0]


def count_tests(filters: Iterable[ast.Filter]) -> int:
    """Return how many tests filters have together."""
    left = list(filters)
    found = 0
    while left:
        each = left.pop()
        match each:
            case ast.And(terms=terms) | ast.Or(terms=terms):
                left += terms
            case ast.Not(term=term):
                left.append(term)
            case _:
                found += 1
    return found


def negate(filter_: ast.Filter) -> ast.Filter:
    return filter_.term if isinstance(filter_, ast.Not) else ast.Not(filter_)


EVERYTHING = ast.Everything()
NOTHING = ast.Not(EVERYTHING)
