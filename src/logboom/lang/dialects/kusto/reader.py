"""The state of parsing a Kusto query: its position, its variables, and the query built from it."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.expressions import read_expression
from logboom.lang.dialects.kusto.functions import LANGUAGE
from logboom.lang.dialects.kusto.scanner import KustoScanner, decode_text
from logboom.lang.dialects.kusto.tokens import GRAMMAR
from logboom.lang.dialects.lowering import Lowering
from logboom.lang.dialects.pipeline import Pipeline
from logboom.lang.dialects.tree import Constant, Name, Node
from logboom.lang.errors import InvalidQuery

OPTION = compile_later(r"[A-Za-z_.]+\s*=\s*[\w.\"']+\s*")
ASSIGNMENT = compile_later(r"(?:\w+|\[\s*(?:\"[^\"]*\"|'[^']*')\s*\])\s*=(?![=~])")
WILD_NAME = compile_later(r"\[\s*[\"'](?P<odd>[^\"']+)[\"']\s*\]|(?P<plain>[\w.*$]+)", re.ASCII)


class Reader:
    """Queries in parentheses have their own readers on the same scanner."""

    def __init__(self, scanner: KustoScanner) -> None:
        self.scanner = scanner
        self.pipeline = Pipeline()
        self.lowering = Lowering(LANGUAGE)

    def read_node(self) -> Node:
        return read_expression(GRAMMAR, self.scanner)

    def read_assigned(self) -> str | None:
        """Return the name before `=`, if there is one."""
        if not ASSIGNMENT.match(self.scanner.text, self.scanner.peek().start):
            return None
        name = self.read_name()
        self.scanner.expect_sign("=")
        return name

    def take_name(self) -> str | None:
        """Consume and return a name, perhaps one in brackets and quotes."""
        token = self.scanner.peek()
        if token.kind == "name":
            return self.scanner.take().text
        if not self.scanner.take_sign("["):
            return None
        inside = self.scanner.take()
        return (
            decode_text(inside.text)
            if inside.kind == "text" and self.scanner.take_sign("]")
            else None
        )

    def read_name(self) -> str:
        name = self.take_name()
        if name is None:
            raise self.scanner.unexpected("a name")
        return name

    def read_column(self) -> str:
        """Return the name of a field here; dots lead into objects."""
        node = self.read_node()
        if not isinstance(node, Name):
            raise self.lowering.refuse("expected the name of a column", node)
        return self.lowering.resolve(node.text)

    def read_wild_names(self) -> tuple[str, ...]:
        names = []
        while True:
            found = self.scanner.take_match(WILD_NAME)
            if found is None:
                raise self.scanner.unexpected("the name of a column")
            names.append(self.lowering.resolve(found["odd"] or found["plain"]))
            if not self.scanner.take_sign(","):
                return tuple(names)

    def read_count(self) -> int:
        node = self.read_node()
        match node:
            case Constant(value=int() as count) if count >= 0 and not isinstance(count, bool):
                return count
        raise self.lowering.refuse("expected a whole number", node)

    def skip_options(self) -> None:
        """Ignore hints for the engine, such as `hint.strategy=shuffle`."""
        while self.scanner.text.startswith("hint", self.scanner.peek().start):
            if not self.scanner.take_match(OPTION):
                return

    def refuse(self, message: str, start: int) -> InvalidQuery:
        return self.scanner.error(message, start, self.scanner.position)
