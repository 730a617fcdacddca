"""What stands between the time of a log line and its message: level, thread, logger, process.

Programs write these in any order, with any brackets and dashes. What cannot be distinguished from the message by its
form counts only if most lines of the text have it: see `Habits`.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import Any, NamedTuple

from logboom.base.patterns import compile_later

WORDS = (
    *("trace", "debug", "info", "notice", "warn", "warning", "error", "err", "critical", "crit", "fatal"),
    *("severe", "alert", "emerg", "emergency", "panic", "verbose", "information", "informational"),
    *("dbg", "inf", "wrn", "vrb", "ftl", "trc"),
)  # fmt: skip
DATABASE = ("LOG", "STATEMENT", "DETAIL", "HINT", "CONTEXT", "SYSTEM", *(f"DEBUG{n}" for n in range(1, 6)))  # fmt: skip
JAVA = ("FINE", "FINER", "FINEST", "CONFIG")
CLEAR = frozenset((*map(str.upper, WORDS), *DATABASE, *JAVA))
"""Levels in capitals, which are hardly ever anything else."""
LEVELS = CLEAR | frozenset((*WORDS, *map(str.capitalize, WORDS), "Note", "System"))
LETTERS = frozenset("VDIWEFTA")
"""One-letter levels, which count only in brackets."""

SKIPPED = r"(?:[\s|]++|-{1,3}(?=[\s|])|[:;](?=[\s|\[])|,|\](?=[\s:\[]))*+"
ITEM = compile_later(
    rf"{SKIPPED}(?:"
    r"\[(?P<bracket>[^\[\]\n]{0,200}+(?:\[[^\[\]\n]{0,100}+\][^\[\]\n]{0,200}+){0,3})\]:?+"
    r"|\((?P<paren>[^()\n]{1,80}+)\)(?=[\s:])"
    r"|<(?P<angle>[^<>\s]{1,40}+)>"
    r"|(?P<number>\d{1,10})(?=[\s:|\]])"
    r"|(?P<caller>[\w./\\-]{1,150}\.[A-Za-z]{1,4}:\d{1,6})(?=[\s:|\]])"
    r"|(?P<name>[A-Za-z_$](?:[\w$./@-]|::){0,150}+(?:\[[\w-]*+\])?+)"
    r"(?:\s*+:(?=\s|\Z)|\s++-{1,2}(?=\s)|(?=[|\t,])|(?=[\s\]]|\Z))"
    r")"
)
"""One item after blanks and dashes; its kind is the name of the group."""

MARKS_LEVEL = compile_later(r"[\t|,]|\s++[-|\[(]|\s\s")
"""What may follow a lower-case level that is not the first word of a sentence."""

MAX_ITEMS = 6
DOTTED = compile_later(r"[A-Za-z_$][\w$]*+(?:(?:[./]|::)[\w$-]++)+")
UNCLOSED = compile_later(r"\s*+([\w.: -]{1,60}+)\](?=\s)")
CALLER = compile_later(r"[\w./\\-]+\.\w{1,5}:\d+")
UPTIME = compile_later(r"\d+(?:\.\d+)?(?:s|ms)")
PROCESS = compile_later(
    r"(?:(?:pid|PID|Process)[ :=]*)?(\d+)(?:[:#/, ]+(?:tid[ :=]*)?(\d+|0x[0-9a-f]+))?"
)
TAGS = compile_later(r"(?:gc|[a-z]+,[a-z,]+)[a-z,]*")
HOSTED = compile_later(
    r"\s*+(?P<host>\w[\w.:-]*+) (?P<program>[^\s:\[\]]++)(?:\[(?P<pid>\d++)\])?+:(?: |\Z)"
)
WORD = compile_later(r"\S++")
MAX_LEVEL_PLACE = 10
ENOUGH = 0.5

Fields = dict[str, Any]


class Habits(NamedTuple):
    """What counts as more than message, because most lines of a text have it."""

    has_loose_level: bool = True
    """A lower-case level followed by only a blank."""
    has_early_name: bool = True
    """A plain word before the level is a logger."""
    has_logger: bool = True
    """A name after the level is a logger."""
    is_hosted: bool = False
    """Host and program precede the message, as in syslog."""
    level_place: int = -1
    """Which word of the message is the level."""


Prefix = tuple[Fields, int]
"""The fields before a message, and where they end."""


def read_prefix(text: str, start: int, habits: Habits, risks: set[str] | None = None) -> Prefix:
    """Return the fields at `start`; `risks` receives the habits that were needed to find them."""
    hosted = HOSTED.match(text, start) if habits.is_hosted else None
    if hosted:
        return read_hosted(hosted), hosted.end()
    before: list[tuple[str, str]] = []
    at, risks = start, set() if risks is None else risks
    for _ in range(MAX_ITEMS):
        item = ITEM.match(text, at)
        if item is None:
            break
        kind = item.lastgroup or ""
        value = item[kind]
        certainty = rate_level(item, kind, value)
        if certainty:
            if certainty == "loose" and not habits.has_loose_level:
                break
            fields = begin_fields(value.strip(), before)
            risks.add(certainty)
            return fields, read_behind(text, item.end(), fields, habits, risks)
        if kind == "name" and not is_marked(item) and not is_dotted(value):
            if not habits.has_early_name:
                break
            risks.add("name")
        before.append((kind, value))
        at = item.end()
    return read_levelless(text, start)


def read_hosted(hosted: re.Match[str]) -> Fields:
    fields: Fields = {name: value for name, value in hosted.groupdict().items() if value}
    if "pid" in fields:
        fields["pid"] = int(fields["pid"])
    return fields


def begin_fields(level: str, before: list[tuple[str, str]]) -> Fields:
    """Return the level and what precedes it; what has no field of its own becomes `context`."""
    fields: Fields = {"level": level}
    if not before and level in CLEAR:
        return fields
    if "/" in level:
        fields["level"], _, fields["thread"] = level.partition("/")
    elif "." in level:
        fields["logger"], _, fields["level"] = level.rpartition(".")
    for kind, value in before:
        if not place(kind, value, fields):
            fields["context"] = f"{fields['context']} {value}" if "context" in fields else value
    return fields


def is_marked(item: re.Match[str]) -> bool:
    """Return whether a colon or a dash follows a name."""
    return item.end() > item.end("name")


def rate_level(item: re.Match[str], kind: str, value: str) -> str:
    """Return `clear` or `loose` if an item is a level, else an empty text."""
    if kind == "name":
        if value in CLEAR or value.partition("/")[0] in CLEAR or value.rpartition(".")[2] in CLEAR:
            return "clear"
        if value not in LEVELS:
            return ""
        is_clear = is_marked(item) or MARKS_LEVEL.match(item.string, item.end())
        return "clear" if is_clear else "loose"
    if kind == "number" or kind == "caller":
        return ""
    value = value.strip()
    return "clear" if value in LEVELS or value in LETTERS else ""


def read_levelless(text: str, start: int) -> Prefix:
    """Read a prefix without a level, in which only a process in brackets is certainly not part of the message."""
    item = ITEM.match(text, start)
    fields: Fields = {}
    if item is not None and item["bracket"] and PROCESS.fullmatch(item["bracket"]):
        place("bracket", item["bracket"], fields)
        return fields, item.end()
    return fields, start


def read_behind(text: str, at: int, fields: Fields, habits: Habits, risks: set[str]) -> int:
    """Add what is between the level and the message; return where that ends."""
    for _ in range(MAX_ITEMS):
        item = ITEM.match(text, at)
        if item is None:
            break
        kind = item.lastgroup or ""
        if kind == "name":
            if "logger" in fields or not habits.has_logger or not is_logger(item, fields):
                break
            fields["logger"] = item["name"]
            risks.add("logger")
            return read_caller(text, item.end(), fields)
        if kind == "number" and not text.startswith((" ---", " [", " |"), item.end()):
            break
        if kind == "angle" or not place(kind, item[kind], fields):
            break
        at = item.end()
    return at


def read_caller(text: str, at: int, fields: Fields) -> int:
    """Add the caller that follows a logger after a tab; return where that ends."""
    item = ITEM.match(text, at) if text.startswith("\t", at) else None
    if item is None or item.lastgroup != "caller" or not place("caller", item["caller"], fields):
        return at
    return item.end()


def read_origin(text: str, at: int, fields: Fields) -> int:
    """Add the caller or the dotted logger at a position; return where it ends."""
    item = ITEM.match(text, at)
    kind = (item and item.lastgroup) or ""
    if item is None or not (kind == "caller" or (kind == "name" and is_dotted(item["name"]))):
        return at
    place(kind, item[kind], fields)
    return item.end()


def is_logger(item: re.Match[str], fields: Fields) -> bool:
    """Return whether a name after the level is marked as a logger, and is not part of a sentence."""
    end = item.end()
    if end > item.end("name") or is_dotted(item["name"]) or closes_bracket(item):
        return True
    # Where a caller precedes it, a word between tabs is the message.
    return item.string[end : end + 1] in ("|", "\t") and "caller" not in fields


def closes_bracket(item: re.Match[str]) -> bool:
    """Return whether a name ends the bracket that the line starts with, as in `[08:30:59 INFO app] message`."""
    text, (start, end) = item.string, item.span("name")
    return text.startswith("]", end) and text.startswith("[") and "]" not in text[:start]


def is_dotted(name: str) -> bool:
    return DOTTED.fullmatch(name) is not None and "/" not in name


def place(kind: str, text: str, fields: Fields) -> bool:
    """Put the text of an item into its field; return False if there is no such field, or it is taken."""
    found = {"logger": text} if kind == "name" else classify(text.strip())
    if kind == "paren" and found.keys() != {"thread"}:
        return False
    if fields.keys() & found.keys():
        if kind in ("number", "bracket") and "pid" in found and "thread" not in fields:
            fields["thread"] = text.strip()
            return True
        return False
    fields.update(found)
    return True


@lru_cache(maxsize=4096)
def classify(text: str) -> Fields:
    """Return what a text in brackets is, judged by its form."""
    process = PROCESS.fullmatch(text)
    if process:
        fields: Fields = {"pid": int(process[1])}
        return fields | {"thread": process[2]} if process[2] else fields
    if CALLER.fullmatch(text):
        return {"caller": text}
    if UPTIME.fullmatch(text):
        return {"uptime_seconds": float(text.rstrip("ms")) / (1000 if text.endswith("ms") else 1)}
    if is_dotted(text) or TAGS.fullmatch(text):
        return {"logger": text}
    return {"thread": text} if text else {}


def skip_separators(text: str, at: int, is_after_fields: bool) -> int:
    """Return where the message starts, after blanks, dashes and pipes that end a prefix."""
    pattern = ENDING if is_after_fields else BLANKS
    found = pattern.match(text, at)
    return found.end() if found else at


ENDING = compile_later(r"\]?+[ \t]*+(?:-{1,3}(?=\s)|[:|,](?=\s)|\|)?+[ \t]*+:?+[ \t]*+")
BLANKS = compile_later(r"[ \t]*+(?:[-:|,](?=\s)|\|)?+[ \t]*+")


def find_level(text: str, start: int, place: int) -> str | None:
    """Return the level that is the n-th word from a position on."""
    for number, word in enumerate(WORD.finditer(text, start)):
        if number == place:
            return word[0].strip("[]:") if word[0].strip("[]:") in CLEAR else None
    return None


def find_level_place(text: str, start: int) -> int:
    """Return which of the next words is a level; -1 if none is."""
    for number, word in enumerate(WORD.finditer(text, start)):
        if number > MAX_LEVEL_PLACE:
            break
        if word[0].strip("[]:") in CLEAR:
            return number
    return -1


def learn_habits(starts: list[tuple[str, int]]) -> Habits:
    """Return the habits of a text, judged by some of its lines and where their times end."""
    if not starts:
        return Habits()
    count = len(starts)
    levels, taken = 0, Counter[str]()
    for text, start in starts:
        risks: set[str] = set()
        fields, _ = read_prefix(text, start, Habits(), risks)
        levels += "level" in fields
        taken.update(risks)

    def is_usual(risk: str) -> bool:
        return taken[risk] >= ENOUGH * max(levels, 1)

    hosted = sum(HOSTED.match(text, start) is not None for text, start in starts)
    if levels < ENOUGH * count:
        if hosted >= 0.8 * count:
            return Habits(is_hosted=True)
        places = [find_level_place(text, start) for text, start in starts]
        common = max(set(places), key=places.count)
        if common >= 0 and places.count(common) >= ENOUGH * count:
            return Habits(False, False, False, level_place=common)
    is_level_usual = levels >= ENOUGH * count
    return Habits(
        is_usual("loose") and is_level_usual,
        is_usual("name") and is_level_usual,
        is_usual("logger"),
    )
