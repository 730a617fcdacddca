"""What a query reads: the fields that must be loaded before its filter and its pipes can run."""

from enum import IntEnum

from logboom.base.structs import InternalStruct
from logboom.engine.terms.bound import Within
from logboom.engine.terms.tree import walk
from logboom.lang import ast
from logboom.model.names import fold_name


class Texts(IntEnum):
    """Whether more than the named fields is searched."""

    NONE = 0
    WITHOUT_MESSAGE = 1
    """Every text of events without a message."""
    ALL = 2
    """Every value of every event."""


class Needs(InternalStruct, frozen=True):
    """Folded names of fields, and which others are searched; `everything` is every field as columns.

    `listed` are further fields, or None for all: those without a column in a block stay one text. `changed` says that
    pipes may have changed some fields before texts are searched, the message included.
    """

    fields: frozenset[str] = frozenset()
    texts: Texts = Texts.NONE
    everything: bool = False
    listed: frozenset[str] | None = frozenset()
    changed: bool = False

    def __repr__(self) -> str:
        listed = self.listed if self.listed is None else sorted(self.listed)
        return f"Needs({sorted(self.fields)}, {int(self.texts)}, {self.everything}, {listed}, {self.changed})"

    def __or__(self, other: "Needs") -> "Needs":
        if self is NOTHING:
            return other
        if other is NOTHING:
            return self
        return Needs(
            self.fields | other.fields,
            max(self.texts, other.texts),
            self.everything or other.everything,
            join_names(self.listed, other.listed),
            self.changed or other.changed,
        )


def join_names(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or other is None else one | other


NOTHING = Needs()
EVERYTHING = Needs(everything=True)
CHANGED = Needs(changed=True)


def need(*names: str) -> Needs:
    return Needs(frozenset(map(fold_name, names))) if names else NOTHING


def need_node(node: object) -> Needs:
    """Return what a filter, an expression, or anything made of them reads."""
    names: set[str] = set()
    texts, everything = Texts.NONE, False
    for each in walk(node):
        match each:
            case ast.Word():
                names.add(ast.MESSAGE)
                texts = max(texts, Texts.WITHOUT_MESSAGE)
            case ast.AnyField():
                texts = Texts.ALL
            case ast.SomeField():
                everything = True
            case ast.ScopeFilter(kind):
                names |= {kind, f"_{kind}"}
            case ast.Field(name):
                names.add(name)
            case ast.During() | ast.Between() | Within():
                names.add("_time")
            case _ if isinstance(field := getattr(each, "field", None), str):
                names.add(field)
            case _:
                pass
    if not (names or texts or everything):
        return NOTHING
    return Needs(frozenset(map(fold_name, names)), texts, everything)
