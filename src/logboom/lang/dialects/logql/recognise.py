"""Recognises LogQL: a stream selector with LogQL stages only, or a metric query over one."""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.logql.tokens import STRING

STAGE_NAMES = frozenset(
    (
        *("json", "logfmt", "regexp", "pattern", "unpack", "decolorize"),
        *("line_format", "label_format", "drop", "keep", "unwrap"),
    )
)
"""The supported stages, whose parsers are not loaded to recognise a query."""
START = compile_later(r"(?:\s++|#[^\n]*+(?=\n))*+")
MATCHER = rf"(?:[A-Za-z_][\w.]*+|{STRING})\s*+(?:=~|!~|!=|=(?!=))\s*+(?:{STRING})"
SELECTOR = rf"\{{\s*+(?:{MATCHER}\s*+(?:,\s*+{MATCHER}\s*+)*+,?+\s*+)?\}}"
RANGE = r"\[\s*+(?:[0-9]++[a-z0-9]++|\$\{?\w++\}?)\s*+(?:\]|:)"
LOG_QUERY = compile_later(rf"{SELECTOR}(?=\s*+(?:\Z|#|\||!=|!~|!>|{RANGE}))", re.DOTALL)
EMPTY = compile_later(r"\{\s*+\}\s*+\Z")
# A bar in quotes is text; a bar directly followed by a sign starts a line filter.
STAGE = compile_later(
    rf"{STRING}|\|(?![=~>|])\s*+(?:\(*+\s*+(?P<name>[A-Za-z_][\w.]*+))?(?P<operator>\s*+(?:[=><]|!=|!~))?",
    re.DOTALL,
)
# Our own pipes that share their name with a stage, recognised by options that LogQL does not have.
OWN_PIPE = compile_later(
    r"\|\s*+(?:unpack\s++(?:json|logfmt|kv|syslog|csv)\b|(?:json|logfmt)\s++(?:from|prefix)\s++(?![=,|])"
    rf"|(?:regexp|pattern)\s++(?:(?:{STRING})\s++from\s|from\s|field\s*+=)"
    r"|(?:drop|keep)\s++[\w.*]++\s++[A-Za-z_])",
    re.DOTALL,
)
RANGE_FUNCTIONS = (
    r"(?:rate|rate_counter|bytes_rate|absent_over_time"
    r"|(?:count|bytes|sum|avg|min|max|first|last|stddev|stdvar|quantile)_over_time)"
)
METRIC_START = compile_later(
    rf"(?:[-+(\s]|[0-9.]++\s*+(?:[-+*/%^<>=!]++(?:\s*+bool\b)?+|(?:and|or|unless)\b))*+(?:{RANGE_FUNCTIONS}\s*+\("
    r"|(?:sum|avg|min|max|count|topk|bottomk|approx_topk|stddev|stdvar|sort|sort_desc|label_replace|vector)"
    r"\s*+(?:\(|(?:by|without)\s*+\()|(?:histogram_quantile|increase|irate|delta|absent)\s*+\()",
    re.IGNORECASE,
)
RANGE_CALL = compile_later(rf"\b(?:{RANGE_FUNCTIONS}|increase|irate|delta)\s*+\(", re.IGNORECASE)
SELECTED = compile_later(SELECTOR, re.DOTALL)
# Directly after the name of a metric: "exceeded [5m]" is text.
RANGED = compile_later(r"[\w:})]" + RANGE)
GROUPED = compile_later(
    r"\b(?:sum|avg|min|max|count)\s*+(?:by|without)\s*+\([\w\s,.$]*+\)"
    r"\s*+\(\s*+(?:\{|[A-Za-z_][\w:]*+\s*+[({\[)])",
    re.IGNORECASE,
)
LABEL_VALUES = compile_later(r"label_values\s*+\(\s*+(?:\{|[A-Za-z_]\w*+\s*+\)\s*+\Z)")


def recognises(text: str) -> bool:
    """Return whether the text is certainly LogQL; it may still be invalid."""
    if "(" not in text and "{" not in text:
        return False
    start = START.match(text)
    assert start is not None, "there may be no blanks"
    place = start.end()
    if text.startswith("{", place):
        selector = LOG_QUERY.match(text, place)
        return selector is not None and has_own_stages(text, selector.end())
    if METRIC_START.match(text, place) is not None:
        return is_grouped(text) or (RANGE_CALL.search(text) is not None and is_measured(text))
    return LABEL_VALUES.match(text, place) is not None


def is_grouped(text: str) -> bool:
    """Return whether labels are named before what is aggregated, as in no other language."""
    return GROUPED.search(text) is not None


def is_measured(text: str) -> bool:
    """Return whether logs are selected, or a metric has a time range."""
    return SELECTED.search(text) is not None or RANGED.search(text) is not None


def has_own_stages(text: str, start: int) -> bool:
    """Return whether every stage is one of LogQL; `{app="x"} | stats count` is a selector before our own pipes."""
    if EMPTY.search(text[:start]) and not text[start:].strip():
        return False
    for stage in STAGE.finditer(text, start):
        name = stage["name"]
        if not name or stage["operator"]:
            continue
        if name not in STAGE_NAMES or OWN_PIPE.match(text, stage.start()):
            return False
    return True
