"""Commands of a shell that search in files, read as the query that they mean: `grep -i error app.log | wc -l`."""

import re
import shlex
from collections.abc import Iterator

import re2
from msgspec import field

from logboom.base.patterns import compile_later
from logboom.base.structs import MutableStruct
from logboom.lang.ast import MESSAGE
from logboom.lang.tokens import QUOTED_TEXT, quote

GREPS = frozenset({"grep", "egrep", "fgrep", "zgrep"})
READERS = frozenset({"cat", "zcat", "bzcat", "xzcat", "tail", "head", "less", "journalctl", "kubectl", "docker"})  # fmt: skip
"""Commands that only deliver lines to those behind them."""
FIRST = GREPS | READERS | {"wc"}
PIECE = compile_later(rf"(?P<quoted>{QUOTED_TEXT})|(?P<bar>\|)|\\.|[^|\"'`\\]++|.", re.DOTALL)
SPECIAL = compile_later(r"[\^$*+?\[\]{}()|\\]|\.[*+?]")
FILE = compile_later(r".*[/.*].*|-")
COUNT = compile_later(r"-n?(?P<count>\d{1,6})|-n")
WORD = compile_later(r"\w+")
WITH_NUMBER = "ABCm"
LONG_WITH_VALUE = ("--include", "--exclude", "--exclude-dir", "--color")
MOST_COMMANDS = 10


class Grep(MutableStruct):
    """One command: its patterns and its options."""

    options: str
    patterns: list[str] = field(default_factory=list)
    lines: dict[str, str] = field(default_factory=dict)
    """The numbers of options that have one."""
    files: tuple[str, ...] = ()


def find_meant(text: str) -> str | None:
    """Return the query for a shell command: `grep -i error` is `error`."""
    first = text.split(maxsplit=1)[:1]
    if not first or first[0] not in FIRST:
        return None
    commands = list(split_commands(text))
    if len(commands) > MOST_COMMANDS or not all(commands):
        return None
    if commands[0][0] in READERS:
        commands = commands[1:]
        if not commands or commands[0][0] not in GREPS:
            return None
    filters: list[str] = []
    pipes: list[str] = []
    for place, command in enumerate(commands):
        meant = read_command(command, is_alone=len(commands) == 1)
        if meant is None or (pipes and place and command[0] in GREPS):
            return None
        filter_, added = meant
        filters += [filter_] if filter_ else []
        pipes += added
    return " ".join([*filters, *(f"| {pipe}" for pipe in pipes)])


def split_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command; none if quotes are not closed."""
    start = 0
    bars = [piece.start() for piece in PIECE.finditer(text) if piece["bar"]]
    for end in [*bars, len(text)]:
        try:
            yield shlex.split(text[start:end])
        except ValueError:
            yield []
        start = end + 1


def read_command(words: list[str], *, is_alone: bool) -> tuple[str, list[str]] | None:
    """Return the filter and the pipes of one command, or None if it means nothing here."""
    name, *arguments = words
    if name in GREPS:
        grep = read_grep(arguments, name)
        is_meant = bool(grep.patterns) and all(map(FILE.fullmatch, grep.files))
        return write_grep(grep) if is_meant else None
    if name == "wc" and all(each.startswith("-") for each in arguments):
        return "", ["stats count"]
    if name in ("head", "tail") and not is_alone:
        count = read_count(arguments)
        # The first lines of a file are the oldest ones.
        order = ["sort _time"] if name == "head" else []
        return None if count is None else ("", [*order, f"limit {count}"])
    return None


def read_count(arguments: list[str]) -> str | None:
    """Return how many lines `head` or `tail` shows."""
    if not arguments:
        return "10"
    found = COUNT.fullmatch(arguments[0])
    if found and found["count"] and len(arguments) == 1:
        return found["count"]
    is_apart = arguments[0] == "-n" and len(arguments) == 2 and arguments[1].isdecimal()
    return arguments[1] if is_apart else None


def read_grep(arguments: list[str], name: str) -> Grep:
    found = Grep({"egrep": "E", "fgrep": "F"}.get(name, ""))
    left = list(arguments)
    plain: list[str] = []
    while left:
        word = left.pop(0)
        if word.startswith(LONG_WITH_VALUE):
            left = left if "=" in word else left[1:]
        elif word.startswith("--"):
            found.options += {"--ignore-case": "i", "--invert-match": "v", "--count": "c"}.get(
                word, ""
            )
        elif word.startswith("-") and len(word) > 1:
            read_options(word[1:], left, found)
        else:
            plain.append(word)
    if not found.patterns and plain:
        found.patterns.append(plain.pop(0))
    found.files = tuple(plain)
    return found


def read_options(written: str, left: list[str], found: Grep) -> None:
    """Read `-iE`, `-A5`, `-A 5` and `-e pattern`."""
    for place, letter in enumerate(written):
        rest = written[place + 1 :]
        if letter in WITH_NUMBER or letter == "e":
            value = rest or (left.pop(0) if left else "")
            if letter == "e":
                found.patterns.append(value)
            elif value.isdecimal():
                found.lines[letter] = value
            return
        found.options += letter


def write_grep(grep: Grep) -> tuple[str, list[str]]:
    filter_ = " OR ".join(write_pattern(each, grep.options) for each in grep.patterns)
    if len(grep.patterns) > 1:
        filter_ = f"({filter_})"
    if "v" in grep.options:
        filter_ = f"NOT {filter_}"
    if "c" in grep.options:
        return filter_, ["stats count"]
    around = [
        f"{side} {grep.lines[letter]}"
        for side, letter in (("before", "B"), ("after", "A"))
        if letter in grep.lines
    ]
    if "C" in grep.lines:
        around = [f"before {grep.lines['C']}", f"after {grep.lines['C']}"]
    pipes = [f"context {' '.join(around)}"] if around else []
    return filter_, [*pipes, *([f"limit {grep.lines['m']}"] if "m" in grep.lines else [])]


def write_pattern(pattern: str, options: str) -> str:
    """Return a word or phrase, or a regular expression."""
    is_fixed = "F" in options or SPECIAL.search(pattern) is None
    if is_fixed and "w" not in options:
        return pattern if WORD.fullmatch(pattern) else quote(pattern)
    if is_fixed:
        expression = re2.escape(pattern)
    else:
        expression = pattern if {"E", "P"} & set(options) else turn_basic(pattern)
    if "w" in options:
        expression = rf"\b(?:{expression})\b"
    return f"{MESSAGE}=~{quote(f'(?i){expression}' if 'i' in options else expression)}"


def turn_basic(pattern: str) -> str:
    """Return an extended expression for a basic one, in which `+?(){}|` are texts unless a backslash precedes them."""

    def turn(found: re.Match[str]) -> str:
        return found[1] or f"\\{found[0]}"

    return re.sub(r"\\([+?(){}|])|[+?(){}|]", turn, pattern)
