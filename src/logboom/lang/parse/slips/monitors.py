"""Monitors and metric queries of Datadog and Prometheus, and queries of traces."""

import json
import re

from logboom.base.patterns import compile_later

FLAGS = re.IGNORECASE | re.DOTALL
QUOTED = r"\"(?:[^\"\\]++|\\.)*+\""
TEXT = compile_later(QUOTED)
MONITOR = compile_later(
    rf"\A(?:logs|rum|events|spans|audit|ci-tests|ci-pipelines)\(\s*+(?P<search>{QUOTED})\s*+\)"
    rf"(?P<steps>(?:\s*+\.\w++\((?:{QUOTED}|[^()\"])*+\))++)"
    r"\s*+(?:(?P<sign>[<>]=?|==|!=)\s*+(?P<limit>-?[0-9._]++))?\Z",
    FLAGS,
)
"""`logs("status:error").index("*").rollup("count").by("host").last("5m") > 100`."""
FORMULA = compile_later(
    rf"\Aformula\(\s*+(?P<formula>{QUOTED})\s*+\)\.last\(\s*+\"(?P<period>[0-9]++[smhdw])\"\s*+\)"
    r"\s*+(?P<sign>[<>]=?|==|!=)\s*+(?P<limit>-?[0-9._]++)\Z",
    FLAGS,
)
"""`formula("query1 / query * 100").last("30m") > 5`, whose queries are defined beside it."""
ZERO_CALL = compile_later(r"\bdefault_zero\(")
OPERAND = compile_later(r"[A-Za-z_]\w*+(?!\()")
CALL = compile_later(r"\w\(")
STEP = compile_later(rf"\.(?P<name>\w++)\((?P<arguments>(?:{QUOTED}|[^()\"])*+)\)")
METRIC_ALERT = compile_later(
    r"\A(?P<change>\w++)\(last_(?P<period>[0-9]++[smhdw])\)\s*+:\s*+(?P<aggregate>\w++):"
    r"(?P<metric>[\w.]++)\s*+\{(?P<scope>[^{}]*+)\}(?:\s*+by\s*+\{(?P<keys>[^{}]*+)\})?"
    r"(?:\.\w++\([^()]*+\))*+\s*+(?P<sign>[<>]=?|==|!=)\s*+(?P<limit>-?[0-9._]++)\Z",
    FLAGS,
)
"""`avg(last_5m):avg:system.cpu.user{env:prod} by {host} > 90`."""
LABEL = r"\w++\s*+(?:=~|!~|!=|=)\s*+\"[^\"]*+\""
SERIES = compile_later(
    rf"\A[A-Za-z_:][\w:]*+(?<!:)(?P<selector>\{{\s*+{LABEL}(?:\s*+,\s*+{LABEL})*+\s*+,?\s*+\}})"
    r"(?:\[[0-9]++[smhdwy]\])?(?:\s*+(?:[<>]=?|==|!=)\s*+[0-9.]++)?\Z"
)
"""`up{job="web"}`; a line of metrics has a value and no sign after it."""
TRACES = compile_later(
    r"\A\{\s*+(?P<inner>(?:(?:span|resource|event|link|trace)?\.\w|\w[\w.]*+\s++(?:=~|!=|=|[<>]=?)\s)[^{}]*+)\}\Z"
)
"""TraceQL: `{ .http.status_code >= 500 && resource.service.name = "web" }`."""
SCOPE = compile_later(rf"({QUOTED})|(?<![\w.])(?:span|resource|event|link|trace)?\.(?=\w)")
AGGREGATES = {"cardinality": "count_uniq", "median": "median"}
PLAIN_AGGREGATES = frozenset({"avg", "sum", "min", "max"})
PERCENTILE = compile_later(r"(?:pc|p)(?P<percent>[0-9]{1,2})")


def read_monitor(match: re.Match[str]) -> str | None:
    """Return the search and its aggregate, or None for a rollup that is not known."""
    steps = {step["name"]: read_texts(step["arguments"]) for step in STEP.finditer(match["steps"])}
    (search,) = read_texts(match["search"]) or [""]
    indexes = [name for name in steps.get("index", []) if name != "*"]
    aggregate = write_aggregate(*steps.get("rollup", ["count"])[:2])
    if aggregate is None:
        return None
    terms = [f"_time:{period}" for period in steps.get("last", [])[:1]]
    terms += [f"index:{name}" for name in indexes]
    terms += [f"({search})"] if search.strip() not in ("", "*") else []
    return write_table(terms, aggregate, ",".join(steps.get("by", [])), match)


def read_formula(match: re.Match[str]) -> str:
    """Return each of its queries as a count, to which a condition is to be added; changes over time are left out."""
    (formula,) = read_texts(match["formula"])
    computed = ZERO_CALL.sub("(", formula)
    names = ", ".join(f"count as {name}" for name in dict.fromkeys(OPERAND.findall(computed)))
    counted = f"_time:{match['period']} | stats {names}"
    if CALL.search(computed):
        return counted
    return f"{counted} | eval value = {computed} | where value {match['sign']} {match['limit']}"


def read_texts(written: str) -> list[str]:
    """Return the quoted arguments of a step."""
    return [json.loads(text, strict=False) for text in TEXT.findall(written)]


def write_aggregate(name: str, field: str = "") -> str | None:
    folded = name.lower()
    if folded == "count":
        return "count"
    percentile = PERCENTILE.fullmatch(folded)
    function = f"p{percentile['percent']}" if percentile else AGGREGATES.get(folded)
    function = function or (folded if folded in PLAIN_AGGREGATES else None)
    return f"{function}({field})" if function and field else None


def write_table(terms: list[str], aggregate: str, keys: str, match: re.Match[str]) -> str:
    by = f" by {keys}" if keys.strip() else ""
    query = f"{' '.join(terms) or '*'} | stats {aggregate} as value{by}"
    return f"{query} | where value {match['sign']} {match['limit']}" if match["sign"] else query


def read_metric_alert(match: re.Match[str]) -> str | None:
    """Return a metric as the field of that name."""
    aggregate = write_aggregate(match["aggregate"], match["metric"])
    scope = [term.strip() for term in match["scope"].split(",")]
    terms = [f"_time:{match['period']}", *(term for term in scope if term not in ("", "*"))]
    return aggregate and write_table(terms, aggregate, match["keys"] or "", match)


def read_traces(match: re.Match[str]) -> str:
    """Return its conditions, without the scopes of attributes."""
    return SCOPE.sub(lambda found: found[1] or "", match["inner"]).strip()


def read_series(match: re.Match[str]) -> str:
    """Return the logs with these labels."""
    return match["selector"]
