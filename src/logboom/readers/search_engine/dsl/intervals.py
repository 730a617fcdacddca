"""`intervals`: words in an order and near each other."""

from itertools import permutations

import re2

from logboom.lang import ast
from logboom.lang.regex import MAX_EXPRESSION_LENGTH
from logboom.readers.search_engine.dsl.context import Context, is_message, unsupported
from logboom.readers.search_engine.dsl.members import (
    Members,
    read_field,
    read_flag,
    read_list,
    read_object,
    read_text,
    read_whole,
)
from logboom.readers.search_engine.dsl.nearness import (
    MOST_GAP,
    count_gaps,
    match_any_regex,
    write_near,
)
from logboom.readers.search_engine.dsl.values import WORD

MOST_LEVELS = 5
MOST_WORDS = 5
RULES = ("match", "any_of", "all_of", "prefix")


def read_intervals(content: object, context: Context) -> ast.Filter:
    written, options = read_field(content, "intervals", "match")
    field = context.names.find(written)
    if not is_message(field):
        raise unsupported(f"[intervals] of [{field[:80]}], expected {ast.MESSAGE}")
    rule = {name: each for name, each in options.items() if name not in ("boost", "_name")}
    return match_any_regex(field, read_rule(rule), context)


def read_rule(rule: Members, level: int = 0) -> list[str]:
    """Return expressions for what a rule matches."""
    if len(rule) != 1 or level > MOST_LEVELS:
        raise unsupported(f"[intervals], expected one of {', '.join(RULES)}")
    [(kind, content)] = rule.items()
    options = read_object(content, kind)
    if kind not in RULES or "filter" in options:
        raise unsupported(
            f"[intervals] with [{kind[:80]}], expected {', '.join(RULES)} without filter"
        )
    if kind == "prefix":
        return [re2.escape(read_text(options, "prefix", "")) + r"\w*"]
    if kind == "match":
        words = WORD.findall(read_text(options, "query", ""))
        return near([*map(re2.escape, words)], options)
    inner = [
        read_rule(read_object(each, kind), level + 1)
        for each in read_list(options.get("intervals", []))
    ]
    if kind == "any_of":
        return [each for found in inner for each in found]
    return near([f"(?:{'|'.join(found)})" for found in inner], options)


def near(words: list[str], options: Members) -> list[str]:
    if not words:
        raise unsupported("[intervals] without words, expected at least one")
    # Rules may be inside each other; each order of the words is at least as long as all of them.
    length = sum(map(len, words))
    if length > MAX_EXPRESSION_LENGTH:
        raise unsupported(
            f"[intervals] that take {length} characters, expected at most {MAX_EXPRESSION_LENGTH}"
        )
    gaps = read_whole(options.get("max_gaps", -1), "max_gaps", -1, MOST_GAP)
    in_order = read_flag(options.get("ordered", False), "ordered")
    if gaps < 0:
        return write_anywhere(words, in_order=in_order)
    return write_near(words, gaps, count_gaps, in_order=in_order)


def write_anywhere(words: list[str], *, in_order: bool) -> list[str]:
    """Return expressions for words that are any distance apart."""
    if not in_order and len(words) > MOST_WORDS:
        raise unsupported(
            f"[intervals] of {len(words)} words in any order, expected at most {MOST_WORDS}"
        )
    orders = [tuple(words)] if in_order else permutations(words)
    return [r"\b[\s\S]*?\b".join(order) for order in orders]
