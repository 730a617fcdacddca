"""The lexical rules of pipes: their keywords and options, in any case.

An option is separated from its value by `=` or a blank. After a blank it is an option only if the value has the right
form, so that fields of the same name need no quotes.
"""

import re

from logboom.base.patterns import compile_later
from logboom.lang import tokens
from logboom.lang.tokens import (
    ANY_QUOTE,
    CURLY_DOUBLE,
    CURLY_SINGLE,
    DASHES,
    NAME,
    NAME_END,
    NAME_FIRST,
)

FLAGS = re.IGNORECASE | re.ASCII


def keyword(*words: str) -> re.Pattern[str]:
    return compile_later(rf"(?:{'|'.join(words)}){NAME_END}\s*+", FLAGS)


def option(*words: str, shape: str) -> re.Pattern[str]:
    """Return a pattern for `word=` before anything, or `word` before a value of the right form."""
    return compile_later(
        rf"(?:{'|'.join(words)})(?:\s*+=(?!=)\s*+|{NAME_END}\s*+(?={shape}))", FLAGS
    )


def any_of(*patterns: re.Pattern[str]) -> re.Pattern[str]:
    return compile_later("|".join(pattern.pattern for pattern in patterns), FLAGS)


DIGIT = r"[0-9.]"
NAME_START = rf"{NAME_FIRST}|{ANY_QUOTE}"
NAMES_START = rf"{NAME_START}|\("
NOTHING = r"(?!)"

COUNT = compile_later(rf"[0-9]++{NAME_END}")
# Habits from the shell, `head -20` and `head -n 20`, and from options, `limit=10`.
COUNT_FLAG = compile_later(
    rf"(?:=|--?n(?:umber|\b)\s*+=?|--lines\s*+=?|[-{DASHES}](?=[0-9]))\s*+", FLAGS
)
LAST_COUNT = compile_later(rf"[0-9]++{NAME_END}\s*+(?=[|)]|\Z|by{NAME_END})", FLAGS)
DASH = compile_later(rf"[{DASHES}]")
SHELL_COUNT = compile_later(rf"-c{NAME_END}\s*+", FLAGS)
NUMBER = compile_later(rf"{tokens.NUMBER.pattern}{NAME_END}")
QUOTED_COUNT = compile_later(r"\"(?P<count>[0-9]++)\"")
NUMBER_START = compile_later(DIGIT)
PERCENT = compile_later(r"(?P<number>[0-9]{1,3}(?:\.[0-9]{1,9})?)\s*+%")
PREFIX_BITS = compile_later(r"/(?P<bits>[0-9]{1,3})(?![0-9])")
BARE_TEXT = compile_later(rf"[^\s,()|\[\]\"'`{CURLY_DOUBLE}{CURLY_SINGLE}]++")
CALL = compile_later(rf"{NAME.pattern}\s*+\(")
ASSIGNMENT = compile_later(r"\s*+=(?![=~])\s*+")

# A quoted name may be any text, and is parsed to be recognised.
ASSIGNED = compile_later(rf"{ANY_QUOTE}|{NAME.pattern}\s*+=(?![=~])")

AS = keyword("as")
BY = keyword("by")
ON = keyword("by", "on")
IF = keyword("if")
OR = keyword("or")
WITH = keyword("with")
ASCENDING = keyword("asc", "ascending")
DESCENDING = keyword("desc", "descending")
# Before a name: `sort desc _time`. A field of that name is followed by a comma or the end.
DIRECTION = compile_later(
    rf"(?P<direction>asc|desc)(?:ending)?\s++(?=(?!(?:asc|desc|limit){NAME_END})(?:{NAME_FIRST}|\()|{ANY_QUOTE})",
    FLAGS,
)
GROUPBY = keyword("groupby")
GROUP_BY = compile_later(rf"group\s++by{NAME_END}\s*+", FLAGS)
BOOLEAN = keyword("true", "false")
EVAL = compile_later(r"eval\s*+\(\s*+", FLAGS)
# How other languages write a bucket: `bin(_time, 5m)`.
BUCKET_CALL = compile_later(r"(?:bin|bucket)\s*+(?=\()", FLAGS)
JOIN_KIND = compile_later(rf"(?P<kind>inner|left|outer){NAME_END}\s*+(?=[(\[|)]|\Z)", FLAGS)
PLAIN_VALUE = any_of(NUMBER, BOOLEAN, compile_later(ANY_QUOTE))
# What LogQL writes between the texts of lines; the bar of the first two is that of a pipe.
LINE_FILTER = compile_later(rf"(?P<sign>\|?=|\|?~|!=|!~)\s*+(?={ANY_QUOTE})")

KEEP_ORIGINAL = keyword("keep_original_fields")
SKIP_EMPTY = keyword("skip_empty_results")
PRETTIFY = keyword("prettify")
# Alone it may be a field: then only after parentheses or a number.
RANK = compile_later(
    rf"(?:rank(?=\s++as\s)|(?<=[0-9)]\s)rank(?=\s*+(?:(?<=\s)[A-Za-z_]\w*+\s*+)?(?:[|)]|\Z))){NAME_END}\s*+",
    FLAGS,
)
LAST_RANK = keyword("rank")
WITH_HITS = compile_later(rf"with\s++hits{NAME_END}\s*+", FLAGS)
PARTITION_BY = compile_later(rf"partition\s++by{NAME_END}\s*+", FLAGS)
# Before the pipe's own words, as in LogsQL; `eval if(a, b)` is a call.
LEADING_IF = compile_later(rf"if{NAME_END}\s*+(?=\()", FLAGS)

AFTER = option("after", shape=DIGIT)
BEFORE = option("before", shape=DIGIT)
AGGREGATE_LIMIT = compile_later(rf"limit\s++[0-9_]++{NAME_END}\s*+(?=as{NAME_END}|,)", FLAGS)
REWRITTEN_CALL = compile_later(r"(?P<name>count_empty|sum_len)\s*+(?=\()", FLAGS)
COLUMNS = option("columns", shape=NAMES_START)
END = option("end", "endswith", shape=r"\(")
FROM = any_of(option("from", shape=NAME_START), option("field", "input", shape=NOTHING))
FIELDS = option("fields", shape=NAMES_START)
HITS = compile_later(rf"hits\s++as{NAME_END}\s*+", FLAGS)
IN = option("in", "at", shape=NAMES_START)
KEEP = option("keep", shape=DIGIT)
LIMIT = option("limit", shape=DIGIT)
MAX_PAUSE = option("maxpause", shape=DIGIT)
MAX_SPAN = option("maxspan", shape=DIGIT)
OFFSET = option("offset", shape=DIGIT)
PART = option("part", shape=DIGIT)
OUTPUT = option("output", "outputnew", shape=NAMES_START)
PREFIX = option("prefix", "result_prefix", shape=NAME_START)
PREVIOUS = option("previous", shape=DIGIT)
SAME = option("same", shape=NAMES_START)
SORT = option("sort", "sortby", shape=rf"[-+]|{NAMES_START}")
SPAN = option("span", shape=DIGIT)
START = option("start", "startswith", shape=r"\(")
TIME_WINDOW = option("time_window", shape=DIGIT)
TYPE = option("type", shape=NOTHING)
VALUE = option("value", shape=NOTHING)
WINDOW = option("window", shape=DIGIT)
BINS = option("bins", shape=DIGIT)
MAX = option("max", shape=NOTHING)
ARGUMENT = compile_later(r"\([\w.@$ *-]++\)")
SORT_KIND = compile_later(r"(?:auto|num|str)\s*+(?=\()", FLAGS)
OVER = keyword("over")
AUTO = keyword("auto", "log10?")
# `1h@h`: spans start at whole units anyway.
SNAP = compile_later(r"@[a-z][a-z0-9]*+", FLAGS)
SERIES_OPTION = compile_later(
    r"(?:cont|partial|fixedrange|minspan|bins|aligntime|sep|format|agg|nullstr|otherstr|dedup_splitvals|usenull"
    r"|useother|current|global|allnum|delim|partitions|reset_on_change|reset_before|reset_after|time_window)"
    r"\s*+=(?!=)",
    FLAGS,
)

# What ends a list without commas.
STATS_OPTION = any_of(LIMIT, SPAN, WINDOW, SERIES_OPTION, compile_later(rf"over{NAME_END}\s"))
UNPACK_OPTION = any_of(FROM, PREFIX, FIELDS, KEEP_ORIGINAL, SKIP_EMPTY)
SORT_OPTION = any_of(LIMIT, OFFSET, PARTITION_BY, RANK)
JOIN_OPTION = any_of(
    JOIN_KIND, TYPE, MAX, compile_later(r"(?:usetime|earlier|overwrite|left|right)\s*+=", FLAGS)
)
DEDUP_OPTION = any_of(
    KEEP, SORT, compile_later(r"(?:consecutive|keepevents|keepempty)\s*+=", FLAGS)
)
CONTEXT_OPTION = any_of(BEFORE, AFTER)
TRANSACTION_OPTION = any_of(
    *(MAX_SPAN, MAX_PAUSE, START, END),
    compile_later(
        r"(?:keepevicted|mvlist|keeporphans|unifyends|connected|delim|maxevents)\s*+=", FLAGS
    ),
)
