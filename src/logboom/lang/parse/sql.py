"""A plain SELECT as a query: its clauses become a filter and pipes, in the order in which they work."""

import re

CLAUSE = re.compile(
    r"\b(?:(?P<kind>SELECT|FROM|WHERE|HAVING|LIMIT)|(?P<by>GROUP|ORDER)\s+BY)\b", re.IGNORECASE
)
AGGREGATE = re.compile(
    r"(?P<name>\w+)\s*\(\s*(?P<argument>[^()]*)\)(?:\s+(?:AS\s+)?(?P<alias>\w+))?", re.IGNORECASE
)
COLUMN = re.compile(r"\*|[\w.@]+")
TABLE = re.compile(r"[\w.*\"`-]+")
SORTED = re.compile(r"(?P<key>.+?)(?:\s+(?P<direction>ASC|DESC))?", re.IGNORECASE)
COMMA = re.compile(r"\s*,\s*(?![^(]*\))")


def translate_sql(text: str) -> str | None:
    """None where there is more in it than these clauses."""
    clauses = split_clauses(text)
    if clauses is None:
        return None
    table = clauses["FROM"].strip('"`')
    where, having = clauses.get("WHERE"), clauses.get("HAVING")
    columns, keys = COMMA.split(clauses["SELECT"]), clauses.get("GROUP")
    aggregates = [match for column in columns if (match := AGGREGATE.fullmatch(column))]
    plain = [column for column in columns if COLUMN.fullmatch(column)]
    if len(aggregates) + len(plain) < len(columns):
        return None
    pipes = [
        f"where {where}" if where else "",
        f"stats {write_aggregates(aggregates)}{f' by {keys}' if keys else ''}"
        if aggregates
        else "",
        f"where {having}" if having else "",
        f"sort {write_order(clauses['ORDER'])}" if "ORDER" in clauses else "",
        f"limit {clauses['LIMIT']}" if "LIMIT" in clauses else "",
        f"fields {', '.join(columns)}" if columns != ["*"] and not aggregates else "",
    ]
    return " | ".join((f"index:{table}", *filter(None, pipes)))


def split_clauses(text: str) -> dict[str, str] | None:
    """The text of each clause by its first word; None when one is missing, twice, or not as simple as that."""
    found = list(CLAUSE.finditer(text))
    names = [(match["kind"] or match["by"]).upper() for match in found]
    ends = [match.start() for match in found[1:]] + [len(text)]
    bodies = [text[match.end() : end].strip(" ;\n") for match, end in zip(found, ends, strict=True)]
    clauses = dict(zip(names, bodies, strict=True))
    if len(clauses) < len(names) or not TABLE.fullmatch(clauses.get("FROM", "")):
        return None
    return clauses if all(clauses.values()) else None


def write_aggregates(aggregates: list[re.Match[str]]) -> str:
    return ", ".join(map(write_aggregate, aggregates))


def write_aggregate(match: re.Match[str]) -> str:
    name, argument = match["name"].lower(), match["argument"].strip()
    if argument.lower().startswith("distinct "):
        name, argument = "count_uniq", argument[len("distinct ") :]
    call = name if argument in ("", "*") else f"{name}({argument})"
    return f"{call} as {match['alias']}" if match["alias"] else call


def write_order(clause: str) -> str:
    keys = [SORTED.fullmatch(key) for key in COMMA.split(clause)]
    written = []
    for key in filter(None, keys):
        name = re.sub(r"(?i)count\s*\(\s*\*?\s*\)", "count", key["key"])
        is_descending = (key["direction"] or "").upper() == "DESC"
        written.append(f"-{name}" if is_descending else name)
    return ", ".join(written)
