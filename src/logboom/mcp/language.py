"""The query language for newcomers: one example for each feature."""

from logboom.lang.functions import AGGREGATES, FUNCTIONS

FILTERS: tuple[tuple[str, str], ...] = (
    ("timeout", "the message contains the text, in any case"),
    ('"connection refused" eth0', "both texts; terms side by side are joined by AND"),
    ("level:error", "the field equals the value, in any case"),
    ("path:/api/*/items", "* stands for any text, ? for one character"),
    ('title:"two words"', "values with blanks or signs go in double quotes"),
    ("user:=Admin", "exactly this value, case included"),
    ("status>=500 took>250ms", "comparison; numbers may have units"),
    ("size:[1KB TO 5KB}", "a range: [ ] include the limit, { } leave it out"),
    ("host IN (web-01, db*)", "one of several values"),
    ("level!=debug", "another value, or none; also NOT level:debug"),
    ("trace_id:*", "the field exists; NOT trace_id:* that it does not"),
    ("ip:10.0.0.0/8", "an address in a network"),
    ('host=~"web-[0-9]+"', "a regular expression, found anywhere in the value"),
    ("*:timeout", "any field contains the text"),
    ("level:error (host:web-01 OR host:web-02) NOT debug", "AND, OR, NOT and parentheses"),
    ("session:in(level:error | fields session)", "values that another query finds"),
    ("_time:[2026-09-01T10:00:00Z TO 2026-09-01T10:30:00Z}", "a stretch of time inside the range"),
    ("env:prod* index:(web OR api)", "environments and indexes"),
)
PIPES: dict[str, tuple[str, str]] = {
    "stats": ("| stats count, p95(duration_ms) as p95 by service, host", "aggregates by fields"),
    "timechart": ("| timechart 5m count by service", "aggregates over time"),
    "chart": (
        "| chart count over service by level",
        "one column for each value of the second field",
    ),
    "top": ("| top 5 service", "the most frequent values"),
    "rare": ("| rare service", "the least frequent values"),
    "patterns": ("| patterns by service", "messages grouped by what stays the same"),
    "sort": ("| sort _time", "oldest first; - before a field turns it round"),
    "limit": ("| limit 20", "the first rows"),
    "tail": ("| tail 20", "the last rows"),
    "offset": ("| offset 20", "without the first rows"),
    "fields": ("| fields _time, service, message", "only these fields"),
    "drop": ("| drop user", "without these fields"),
    "rename": ("| rename http.status as status", "another name"),
    "where": ("| where count > 10", "rows for which an expression or filter holds"),
    "eval": ("| eval seconds = duration_ms / 1000", "a new field from an expression"),
    "rex": ('| rex "user=(?<user>[a-z]+)"', "fields from the message by named groups"),
    "extract": ('| extract "user=<user> "', "fields from the message by a template"),
    "unpack": ("| unpack json", "fields from JSON, logfmt or key=value texts in the message"),
    "dedup": ("| dedup host", "one event for each value"),
    "uniq": ("| uniq host", "the values themselves"),
    "join": ("| join host (level:error | stats count by host)", "columns of another query"),
    "union": ("| union (level:warn)", "the rows of another query too"),
    "lookup": ("| lookup owners host", "columns of a lookup table"),
    "inputlookup": ("| inputlookup owners", "the rows of a lookup table"),
    "context": ("level:error | limit 1 | context before 2 after 5", "the events around each"),
    "transaction": ("| transaction trace_id", "events that belong together as one row"),
    "streamstats": ("| sort _time | streamstats sum(bytes) as total", "running aggregates"),
    "eventstats": (
        "| eventstats avg(duration_ms) as mean by service",
        "aggregates beside each row",
    ),
    "delta": ("| timechart 5m count | delta count", "the change from row to row"),
    "diff": ("| diff (previous 1h) by service", "counts now and in the time before"),
    "bin": ("| bin duration_ms span=100", "values rounded to steps"),
    "mvexpand": ("| mvexpand tags", "one row for each value of a list"),
    "addtotals": ("| stats count by service | addtotals", "sums of columns"),
    "xyseries": (
        "| stats count by service, level | xyseries service, level, count",
        "values as columns",
    ),
    "untable": ("| timechart 1h count by level | untable _time, level, count", "columns as rows"),
    "fillnull": ("| fillnull value=0 retries", "a value where there is none"),
    "replace": ('| replace "[0-9]+" with "N"', "texts in the message replaced"),
    "sample": ("| sample 100", "one row in a hundred, for a quick look"),
    "explain": ("level:error | explain", "how the query is run"),
}

BASICS = """\
A query is a filter, then any number of pipes: level:error timeout | stats count by service
Field names are matched in any case; dots lead into nested objects (http.status). Every event has _time, _index, _env and
_id; most have message. from and to are arguments of the tools, not part of the query."""


def list_filters() -> str:
    return "\n".join(f"{query}  -- {meaning}" for query, meaning in FILTERS)


def list_pipes() -> str:
    return "\n".join(f"{query}  -- {meaning}" for query, meaning in PIPES.values())


def list_functions() -> str:
    """Return the aggregates and functions, with what each returns."""
    aggregates = [f"{name}  -- {each.summary}" for name, each in AGGREGATES.items()]
    functions = [f"{name}  -- {each.summary}" for name, each in FUNCTIONS.items()]
    return "\n".join(
        [
            "Aggregates, for stats, timechart, chart, eventstats and streamstats (p50 to p99 are percentiles):",
            *aggregates,
            "",
            "Functions, for where and eval:",
            *functions,
        ]
    )
