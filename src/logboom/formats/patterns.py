"""User-written regular expressions. Only RE2 runs them, which takes linear time for any pattern."""

import re
from collections.abc import Callable

import re2

from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later

MAX_PATTERN_LENGTH = 4096
MAX_WORK = 100_000
"""The maximum cost per byte of text: every step of the compiled pattern, in the worst case."""

STEP_WORK = 64
"""The cost of a step beside the positions of all groups, which are copied with it; measured."""

MAX_MATCHED_BYTES = 64 * 1024
"""Only this much of a text is searched: for more, linear is not fast enough."""

TOKEN = compile_later(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*+\]|.", re.DOTALL)
"""An escaped character, a character class, or any other character."""

Spans = list[tuple[int, int]]
"""The positions of the match and its groups, in bytes; (-1, -1) is absent."""

Search = Callable[[bytes], Spans | None]


def compile_search(expression: str, written: str, *, whole: bool = False) -> Search:
    """Return a function that searches the expression in a text, or matches it as a `whole`; `.` is any character.

    `written` is what the user wrote; for a mistake, raise Invalid with its position there.
    """
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        program = re2.compile(expression, options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace")
        raise make_fault(written, find_place(written, reason), reason) from error
    if program.programsize * (STEP_WORK + program.groups) > MAX_WORK:
        size = f"{program.programsize} steps and {program.groups} groups"
        expected = "expected fewer repetitions, alternatives or fields"
        raise make_fault(written, 0, f"too large when compiled, {size}, {expected}")
    anchor = re2._Anchor.ANCHOR_BOTH if whole else re2._Anchor.UNANCHORED
    # The public methods create a match object and look up each group separately: five times the cost.
    match = program._regexp.Match

    def search(text: bytes) -> Spans | None:
        spans: Spans = match(anchor, text, 0, min(len(text), MAX_MATCHED_BYTES))
        return None if spans[0][0] < 0 else spans

    return search


def find_place(written: str, reason: str) -> int:
    """Return the position of an error; RE2 ends its reason with the text that it did not understand."""
    fault, _, text = reason.partition(": ")
    if fault in ("missing )", "unexpected )"):
        return find_unbalanced(written)
    return max(0, written.find(text))


def find_unbalanced(written: str) -> int:
    """Return the position of an unbalanced parenthesis."""
    opened: list[int] = []
    for token in TOKEN.finditer(written):
        if token[0] == "(":
            opened.append(token.start())
        elif token[0] == ")":
            if not opened:
                return token.start()
            opened.pop()
    return opened[-1] if opened else 0


def make_fault(written: str, position: int, reason: str) -> Invalid:
    shown = written if len(written) <= 100 else written[:97] + "…"
    return Invalid(
        f"the pattern {shown!r} is wrong at {position}: {reason}", position=position, pattern=shown
    )
