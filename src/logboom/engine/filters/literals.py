"""Literals of regular expressions: texts that every match must contain. The list may be incomplete."""

import re

CLASS_OPENING = re.compile(r"\[\^?\]?")
"""A class, perhaps inside another; a bracket at its start does not close it."""
FREE_SPACING = re.compile(r"\(\?[a-zA-Z]*x")
SHORTHANDS = frozenset("dDwWsSbBAzntrfva<>")
"""One-character escapes that are not literals; other letters and digits after a backslash are longer escapes."""
REPETITIONS = frozenset("*+?{")
BREAKS = frozenset(".^$")


def list_literals(expression: str) -> list[str]:
    """Return runs of plain characters outside groups, classes and alternatives, ignoring case."""
    if FREE_SPACING.search(expression):
        return []
    return Scan(expression).run()


class Scan:
    """Scans an expression once; a top-level alternative, or unknown syntax, yields nothing."""

    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._place = 0
        self._depth = 0
        self._found: list[str] = []
        self._literal = ""

    def run(self) -> list[str]:
        while self._place < len(self._expression):
            character = self._expression[self._place]
            self._place += 1
            if character == "\\":
                known = self._escape()
            elif character == "[":
                known = self._skip_class()
            else:
                known = self._read(character)
            if not known:
                return []
        self._end()
        return self._found

    def _end(self) -> None:
        if self._literal:
            self._found.append(self._literal)
        self._literal = ""

    def _read(self, character: str) -> bool:
        if character in "()":
            self._end()
            self._depth += 1 if character == "(" else -1
        elif self._depth:
            return True
        elif character == "|":
            return False
        elif character in REPETITIONS:
            self._literal = self._literal[:-1]
            self._end()
            return character != "{" or self._skip_bounds()
        elif character in BREAKS:
            self._end()
        else:
            self._literal += character
        return True

    def _escape(self) -> bool:
        escaped = self._expression[self._place : self._place + 1]
        self._place += 1
        if escaped in SHORTHANDS:
            self._end()
        elif escaped.isalnum() or not escaped:
            return self._depth > 0
        elif not self._depth:
            self._literal += escaped
        return True

    def _skip_bounds(self) -> bool:
        self._place = self._expression.find("}", self._place) + 1
        return self._place > 0

    def _skip_class(self) -> bool:
        self._end()
        self._place -= 1
        depth = 0
        while self._place < len(self._expression):
            opening = CLASS_OPENING.match(self._expression, self._place)
            character = self._expression[self._place]
            if opening:
                self._place = opening.end()
            else:
                self._place += 2 if character == "\\" else 1
            depth += 1 if opening else -(character == "]")
            if not depth:
                return True
        return False
