"""Kusto's `search`: texts in any column, `column:"text"`, and conditions."""

from logboom.base.patterns import compile_later
from logboom.lang.ast import AnyField, Everything, Filter, Pattern, Wildcard
from logboom.lang.dialects.conditions import make_filters
from logboom.lang.dialects.expressions import COMPARED, read_expression
from logboom.lang.dialects.kusto.reader import Reader
from logboom.lang.dialects.kusto.tokens import GRAMMAR
from logboom.lang.dialects.tree import Constant, Node, Operation, Opposite, Star, Test

COLUMN_HAS = ":"
GRAMMAR_OF_SEARCH = GRAMMAR._replace(
    operators={**GRAMMAR.operators, COLUMN_HAS: (COLUMN_HAS, COMPARED)}
)
KIND = compile_later(r"kind\s*=\s*(?P<kind>\w+)\s*")


def skip_kind(reader: Reader) -> None:
    """`kind=case_insensitive`, which is how every text is searched."""
    start = reader.scanner.peek().start
    kind = reader.scanner.take_match(KIND)
    if kind and kind["kind"] not in ("default", "case_insensitive"):
        raise reader.refuse(
            f"search kind={kind['kind']} is not supported, use where with has_cs", start
        )


def read_search(reader: Reader) -> None:
    """Read what rows must match; a text may be in any column."""
    node = read_expression(GRAMMAR_OF_SEARCH, reader.scanner)
    filters = make_filters(reader.lowering, make_test(node))
    reader.pipeline.narrow([each for each in filters if each != Everything()])


def make_test(node: Node) -> Node:
    """Return the condition with tests in place of the texts."""
    match node:
        case Star():
            return Test(Everything(), node.start, node.end)
        case Constant(value=str(text)):
            return Test(search_everywhere(text), node.start, node.end)
        case Operation(operator=":", left=left, right=Constant(value=str(text)) as right):
            operator = "contains" if "*" in text else "has"
            return Operation(operator, left, Constant(text.strip("*"), right.start, right.end))
        case Operation(operator="and" | "or" as operator, left=left, right=right):
            return Operation(operator, make_test(left), make_test(right))
        case Opposite(operand=operand):
            return Opposite(make_test(operand), node.start)
        case _:
            return node


def search_everywhere(text: str) -> Filter:
    """Return the test that some value contains the text, in which stars stand for anything."""
    first, *others = text.strip("*").split("*")
    parts: list[str | Wildcard] = [first]
    for part in others:
        parts += [Wildcard.ANY, part]
    kept = tuple(part for part in parts if part != "")
    return AnyField(Pattern(kept)) if kept else Everything()
