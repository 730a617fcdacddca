"""Recognises Kusto: a table, followed by operators that only Kusto writes like this.

The name of a table alone says little, because any word may precede our pipes. What only Kusto has is sufficient after
any name; what we parse as well (`summarize`, `extend`, `==`) only after a name that nobody searches for as a word.
"""

import re

from logboom.base.patterns import compile_later
from logboom.lang.dialects.comments import skip_comments

# One look that excludes most other texts: a table before a bar, a call, or the first word of a statement.
START = compile_later(
    r"[A-Za-z_]\w*+\s*+(?:[|(]|//)|[\[(.]|(?:let|union|search|range|print|declare|find)\s"
)
COMMENT_OR_TEXT = compile_later(
    r"(?P<comment>//[^\n]*+)|```.*?```|@?\"(?:[^\"\\]|\\.)*+\"|@?'(?:[^'\\]|\\.)*+'", re.DOTALL
)
TABLE = compile_later(
    r"(?:union\s+)?(?P<name>[A-Za-z_]\w*)\s*(?=\|(?!\|))|(?P<search>search\s+\"\"\s*)(?=\|)|\[\s*\"\"\s*\]\s*(?=\|)|(?P<place>(?:database|workspace|app|cluster|table|arg|adx)\(\s*\"\")"
    r"|(?P<function>[A-Za-z_]\w*)\((?:[^()|]|\([^()|]*\))*\)\s*(?=\|)"
)
TEXT_AND_MORE = compile_later(r"search\s+\(*\s*\"\"\s+(?:and|or)\s")
LET = compile_later(r"let\s+[A-Za-z_]\w*\s*=(?![=~])")
MANAGED = r"(?:tables?|databases?|cluster|functions?|schema|queries|commands|operations|external|materialized|ingestion|policy)"
UNION_OPTION = r"(?:isfuzzy|withsource|kind|hint\.\w+)\s*="
SOURCES = compile_later(
    rf"union\s+(?:{UNION_OPTION}|\*\s*\||\w+\*?\s*(?:,\s*\(?\s*\w+\*?\s*)+[|)]|\w+\*\s*\||\(\s*\w+\s*\|)"
    r"|search\s+in\s*\(|search\s+kind\s*=|range\s+\w+\s+from\s.+\sto\s.+\sstep\s|datatable\s*\(|externaldata\s*\("
    r"|print\s+\w+\s*=\s*(?:\w+\(|[\"'\d])|declare\s+query_parameters\s*\("
    rf"|\(\s*(?:union\s+(?:{UNION_OPTION}|\w+\*?\s*[,|])|[A-Z]\w+\s*\|)"
    rf"|\.(?:show|create|alter|drop|ingest|set|append|set-or-append|create-or-alter)\s+{MANAGED}\b|find\s+(?:in\s*\(|where\s)"
)
STRONG = compile_later(
    r"\|\s*(?:project-\w|mv-expand|mv-apply|make-series\b|evaluate\s+\w+\(|render\s+\w|getschema\b|"
    r"parse(?:-where)?\s+(?:kind\s*=\s*\w+\s+)?[\w.]+\s+with\b|parse-kv\b|join\s*(?:kind|hint|\(|\w+\s+on\s)|lookup\s*(?:kind|\()|"
    r"invoke\s+\w+\(|partition\s+(?:hint|by)|sample-distinct\b|top-nested\b|top-hitters\b|"
    r"top\s+\w+\s+by\s+[\w.()]+\s+(?:asc|desc)\b|project\s+(?:[\w.]+\s*,\s*)*\w+\s*=|summarize\s+hint|"
    r"summarize[^|]*\bbin\((?!_time|@timestamp)|(?:sort|order)\s+by\s+[^|]*\bnulls\s+(?:first|last))"
    r"|(?<![\w.])(?:ago|datetime|startof(?:day|week|month|year)|endof(?:day|week|month)|isempty|isnotempty|dcount|"
    r"dcountif|countif|sumif|avgif|arg_max|arg_min|make_set|make_list|make_bag|makeset|makelist|strcat|strcat_delim|iff|"
    r"tolong|todouble|toreal|todatetime|todynamic|parse_json|extractjson|format_datetime|datetime_diff|datetime_add|"
    r"percentiles|dynamic|ipv4_is_\w+|column_ifexists|take_any|hourofday|dayofweek|getmonth|replace_string|replace_regex|"
    r"indexof|array_length|array_slice|array_concat|strcat_array|set_has_element|pack_array|bag_pack|bag_unpack|bag_keys|"
    r"countof|ingestion_time|hash_sha256|base64_decode_tostring|materialize|toscalar|parse_url|parse_path|parse_xml|"
    r"extract_all|geo_info_from_ip_address)\s*\("
    r"|[\w)\]*]\s+!?(?:(?:has|has_cs|has_any|has_all|hasprefix|hassuffix)\s*(?:[@\"(]|dynamic|\Z)"
    r"|(?:contains|startswith|endswith)(?:_cs)?\s*(?:[@\"]|\Z))"
    r"|\$left\.|\|\s*union\s+(?:withsource|kind|isfuzzy)\s*=|\)\s*\[-?\d+\]|\bmatches\s+regex\b|[\w)\]]\s+(?:!in~?\s*\(|in~\s*\()|[\w)\]]\s+!?between\s*\([^|]*\.\."
)
WEAK = compile_later(
    r"\|\s*(?:summarize\s+(?:\w+\s*=\s*)?\w+\(|project\s+\w|extend\s+\w+\s*=|distinct\s+[\w*]|take\s+\d|count\s*(?:\||\Z)|"
    r"where\s+\(*\s*[\w.]+\s*(?:==|in\s*\(\s*[\"\d])|where\s+\(*\s*[\w.]+\s*[<>!]=?[^|]*\s(?:and|or)\s[^|]*==|"
    r"(?:order|sort)\s+by\s+\w|top\s+\d+\s+by\s|summarize\s+by\s|where\s+not\s*\()"
    r"|where\s+TimeGenerated\s+[<>]=?\s|\b(?:tolower|toupper|strlen)\("
    r"|where\s+\(*\s*[A-Za-z][\w.]*\s+[=!]~\s+\""
)
SAME_TEXT = compile_later(r"\|\s*where\s+\(*\s*[A-Z]\w*\s+=~\s+\"")
"""A test of a capitalised column that ignores case; our regular expressions are rarely written like this."""
OPERATOR = compile_later(r"\|\s*([A-Za-z][\w-]*|\S)")
ALIASES = compile_later(
    r"\|\s*(?:summarize\s+(?:\w+\s*=\s*)?\w+\(|project\s+\w|extend\s+\w+\s*=|distinct\s+\w|take\s+\d)"
)
MANY_HUMPS = compile_later(
    r"(?=[A-Z0-9]*[a-z])[A-Z][a-z0-9]*[A-Z][A-Za-z0-9]*|[A-Z][A-Za-z0-9]*_[A-Za-z0-9_]+|_[A-Z]\w+"
)
ONE_HUMP = compile_later(r"[A-Z][a-z0-9]+")
CUSTOM = compile_later(r"\w+_CL")
"""Tables of Azure that have logs of other products."""
TEST = compile_later(r"\|\s*where\s+\(*\s*[\w.]+\s*(?:[!=]=|<>|[!=]~\s)")
"""A test as our canonical queries never write it."""
SEARCHED = compile_later(
    r"\w*(?:Exception|Errors?|Failures?|Faults?|Timeouts?|Warnings?)"
    r"|(?i:exception|errors?|err|failures?|failed|fail|faults?|timeouts?|warnings?|warn|info|debug|fatal|critical|panic|denied|"
    r"refused|trace|crash|killed|oom|login|logout|user|host)"
)
"""Names that people search for as words."""
KNOWN = frozenset(
    (
        *("Heartbeat", "Perf", "Event", "Syslog", "Usage", "Alert", "Operation", "Update", "T"),
        *("requests", "traces", "exceptions", "dependencies", "customEvents", "customMetrics"),
        *("pageViews", "availabilityResults", "performanceCounters", "browserTimings"),
        *("resources", "Resources"),
    )
)
"""Tables of Azure products whose names are plain words."""


OPERATORS = frozenset(
    (
        *("where", "filter", "search", "extend", "project", "project-away", "project-keep"),
        *(
            "project-rename",
            "project-reorder",
            "distinct",
            "take",
            "limit",
            "count",
            "sort",
            "order",
        ),
        *("top", "summarize", "parse", "join", "union", "render", "as", "serialize", "mv-expand"),
        *("mvexpand", "mv-apply", "make-series", "evaluate", "lookup", "invoke", "parse-where"),
        *(
            "parse-kv",
            "sample",
            "sample-distinct",
            "getschema",
            "facet",
            "fork",
            "partition",
            "scan",
        ),
        *("top-nested", "top-hitters", "reduce", "consume", "graph-match", "make-graph"),
    )
)
"""All operators; a pipe of another name shows that the text is not Kusto."""


def recognises(text: str) -> bool:
    body = skip_comments(text)
    if not START.match(body):
        return False
    if LET.match(body):
        return True
    bare = empty_texts(body)
    if SOURCES.match(bare):
        return True
    if TEXT_AND_MORE.match(bare) and has_only_operators(bare):
        return STRONG.search(bare) is not None
    table, operators = split_table(bare)
    return table is not None and has_operators(table, operators)


def empty_texts(body: str) -> str:
    """Return the query without comments and with empty texts."""
    return COMMENT_OR_TEXT.sub(lambda found: "" if found["comment"] else '""', body)


def split_table(bare: str) -> tuple[re.Match[str] | None, str]:
    """Return the table at the start, and what follows it."""
    table = TABLE.match(bare) if "|" in bare else None
    return table, bare[table.end() :] if table else ""


def has_operators(table: re.Match[str], bare: str) -> bool:
    """Return whether the pipes after the table are those of Kusto."""
    if not has_only_operators(bare):
        return False
    name = table["name"] or table["function"]
    if name is None:
        return not table["search"] or STRONG.search(bare) is not None
    if SEARCHED.fullmatch(name) and name not in KNOWN:
        return False
    signs = [STRONG]
    if CUSTOM.fullmatch(name):
        signs += [WEAK, TEST]
    elif name in KNOWN or MANY_HUMPS.fullmatch(name):
        signs.append(WEAK)
    elif ONE_HUMP.fullmatch(name):
        signs.append(SAME_TEXT)
    return any(sign.search(bare) for sign in signs)


def has_only_operators(bare: str) -> bool:
    return all(operator in OPERATORS for operator in OPERATOR.findall(bare))


def find_word(text: str) -> str | None:
    """Return the searched word in `logs | summarize count() by host`, where Kusto has a table."""
    table, operators = split_table(empty_texts(text))
    name = table["name"] if table else None
    if not name or SEARCHED.fullmatch(name) or not has_only_operators(operators):
        return None
    return name if ALIASES.search(operators) else None
