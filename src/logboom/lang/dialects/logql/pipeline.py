"""The state of parsing a log query: the filter, the pipes, and the labels it made."""

from itertools import product

from msgspec.structs import replace

from logboom.lang.ast import (
    MESSAGE,
    And,
    AnyField,
    Call,
    Eval,
    Everything,
    Exists,
    Expression,
    Field,
    Filter,
    Not,
    Pattern,
    Pipe,
    Query,
    Regex,
    Where,
)
from logboom.lang.dialects.logql.matchers import FieldTest, all_of, any_of, change_tests
from logboom.lang.dialects.logql.regexes import list_literals
from logboom.model.event_text import STAND_INS

EXTRACTED = "_extracted"
"""The suffix that LogQL adds to a parsed label that the stream has too; here it replaces that one."""
LEVELS = {"detected_level": ("level", "severity")}
"""The label that Loki adds to lines, and the fields that it is taken from."""
MAX_SPLIT = 3
"""Up to this many underscores in a name each may stand for a dot."""


class Pipeline:
    """Filters before the first pipe belong to the query's own filter.

    LogQL joins the names of nested JSON members with `_`, we use dots. So a label that is used after `json`, and that
    nothing else has made, is looked up under both names.

    With `as_streams` events are read as the Loki API shows them: every label may be a field with dots, and other
    fields stand in for a missing message.
    """

    def __init__(self, *, as_streams: bool = False) -> None:
        self.terms: list[Filter] = []
        self.pipes: list[Pipe] = []
        self.value: Expression | None = None
        """The value of an event according to `unwrap`."""
        self.selected: list[str] = []
        """The labels of the selector."""
        self.as_streams = as_streams
        self.has_errors = False
        """Whether events have the label `__error__` from here on."""
        self._known: set[str] = set()
        self._nested: dict[str, tuple[int, Expression]] = {}
        """The places before which labels are looked up, and how."""
        self._nested_place: int | None = 0 if as_streams else None

    @property
    def made(self) -> list[str]:
        """The labels that stages have made, in order of their names."""
        return sorted(self._known.difference(self.selected))

    def add_filter(self, filter_: Filter) -> None:
        if not self.pipes:
            self.terms.append(filter_)
        elif not isinstance(filter_, Everything):
            last = self.pipes[-1]
            if isinstance(last, Where):
                self.pipes[-1] = Where(all_of([last.filter, filter_]))
            else:
                self.pipes.append(Where(filter_))

    def add_line_filter(self, filter_: Filter) -> None:
        if self.as_streams:
            # After a pipe all values of every event would have to be read.
            filter_ = change_tests(filter_, stand_in if self.pipes else search_line)
        self.add_filter(filter_)

    def add(self, pipe: Pipe, *made: str) -> None:
        """Add a pipe and the labels that it makes."""
        self.pipes.append(pipe)
        self._known.update(made)

    def select(self, label: str) -> None:
        """Note a label of the selector, which is spelled as the field is unless dotted names are found."""
        self.selected.append(label)
        if not self.as_streams:
            self._known.add(label)

    def expect_nested(self) -> None:
        """Note that labels may come from nested JSON from here on."""
        self._nested_place = len(self.pipes)

    def name_tested(self, label: str) -> str:
        """Return the field of a label that a filter tests; before the first pipe the test itself covers every name."""
        return self.name(label) if self.pipes else label

    def name(self, label: str) -> str:
        """Return the field of a label."""
        extracted = label.removesuffix(EXTRACTED)
        if extracted != label and extracted in self._known:
            return extracted
        names = [*self.list_names(label), *(LEVELS.get(label, ()) if self.as_streams else ())]
        if len(names) > 1 and label not in self._nested:
            assert self._nested_place is not None, "labels without a place have one name"
            self._nested[label] = self._nested_place, Call("coalesce", tuple(map(Field, names)))
        return label

    def list_names(self, label: str) -> list[str]:
        """Return all fields that may have a label."""
        may_be_nested = self._nested_place is not None and label not in self._known
        return [label, *(list_nested(label) if may_be_nested else ())]

    def finish(self) -> Query:
        found: dict[int, list[tuple[str, Expression]]] = {}
        for label, (place, value) in self._nested.items():
            found.setdefault(place, []).append((label, value))
        pipes = list(self.pipes)
        for place in sorted(found, reverse=True):
            pipes.insert(place, Eval(tuple(found[place])))
        filter_ = all_of(self.terms)
        return Query(change_tests(filter_, spell) if self.as_streams else filter_, tuple(pipes))


def spell(test: FieldTest) -> Filter:
    """Return the test of a label, applied to all fields that may have it."""
    return any_of([replace(test, field=name) for name in list_sources(test.field)])


def stand_in(test: FieldTest) -> Filter:
    """Return the test of a line, applied to the message, or to the fields that stand in for a missing one."""
    others = any_of([replace(test, field=name) for name in STAND_INS])
    return any_of([test, And((Not(Exists(MESSAGE)), others))])


def search_line(test: FieldTest) -> Filter:
    """Return the same as `stand_in`; plain texts are also searched in all values of events whose line is JSON."""
    texts = list_literals(test.expression) if isinstance(test, Regex) else []
    if not texts:
        return stand_in(test)
    bare = [Not(Exists(name)) for name in (MESSAGE, *STAND_INS)]
    values: list[Filter] = [AnyField(Pattern.literal(text)) for text in texts]
    return any_of([stand_in(test), And((*bare, any_of(values)))])


def list_sources(label: str) -> list[str]:
    """Return all fields that may have a label."""
    return [*list_spellings(label), *LEVELS.get(label, ())]


def list_spellings(label: str) -> list[str]:
    """Return all names of fields that LogQL would write like this."""
    return [label, *list_nested(label)]


def list_nested(label: str) -> list[str]:
    """Return the dotted names that LogQL would write like this; of many underscores one or all stand for a dot."""
    words = label.split("_")
    gaps = len(words) - 1
    if gaps == 0 or "" in words:
        return []
    if gaps <= MAX_SPLIT:
        choices = ["".join(choice) for choice in product("._", repeat=gaps) if "." in choice]
    else:
        alone = ["_" * place + "." + "_" * (gaps - place - 1) for place in range(gaps)]
        choices = ["." * gaps, *alone]
    return [words[0] + "".join(map(str.__add__, choice, words[1:])) for choice in choices]
