"""The functions of the language, as data: aggregates for `stats` and others, and functions of expressions."""

from typing import Literal, TypeAlias

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct
from logboom.lang.tokens import settle_quoted_name

Result: TypeAlias = Literal["bool", "number", "text", "time", "list", "any"]


class Signature(InternalStruct, frozen=True):
    """The number of arguments (`maximum` None: any number) and what it returns."""

    name: str
    minimum: int
    maximum: int | None
    result: Result
    summary: str

    def takes(self, count: int) -> bool:
        return self.minimum <= count and (self.maximum is None or count <= self.maximum)


AGGREGATES: dict[str, Signature] = {
    signature.name: signature
    for signature in (
        Signature("count", 0, 1, "number", "rows, or rows that have the value"),
        Signature("count_uniq", 1, 1, "number", "distinct values, exact"),
        Signature(
            "approx_count_uniq", 1, 1, "number", "distinct values, estimated in little memory"
        ),
        Signature("sum", 1, 1, "number", "sum of the numbers"),
        Signature("avg", 1, 1, "number", "mean of the numbers"),
        Signature("min", 1, 1, "any", "smallest value"),
        Signature("max", 1, 1, "any", "largest value"),
        Signature("median", 1, 1, "number", "middle of the numbers"),
        Signature(
            "percentile",
            2,
            2,
            "number",
            "value below which this percentage of the numbers lies, exact",
        ),
        Signature("approx_percentile", 2, 2, "number", "the same, estimated in little memory"),
        Signature("stdev", 1, 1, "number", "sample standard deviation"),
        Signature("var", 1, 1, "number", "sample variance"),
        Signature("stdevp", 1, 1, "number", "standard deviation of the population"),
        Signature("varp", 1, 1, "number", "variance of the population"),
        Signature("range", 1, 1, "number", "largest minus smallest number"),
        Signature("mode", 1, 1, "any", "most frequent value"),
        Signature("values", 1, 1, "list", "distinct values in order"),
        Signature("list", 1, 1, "list", "all values, up to a limit"),
        Signature("first", 1, 1, "any", "value of the first row"),
        Signature("last", 1, 1, "any", "value of the last row"),
        Signature("earliest", 1, 1, "any", "value of the oldest event"),
        Signature("latest", 1, 1, "any", "value of the newest event"),
        Signature("rate", 0, 1, "number", "rows, or rows that have the value, per second"),
        Signature("rate_sum", 1, 1, "number", "sum of the numbers per second"),
        Signature("row_max", 1, 1, "any", "the message of the row with the largest value"),
        Signature("row_min", 1, 1, "any", "the message of the row with the smallest value"),
    )
}
AGGREGATE_ALIASES: dict[str, str] = {
    "c": "count",
    "dc": "count_uniq",
    "count_uniq_hash": "count_uniq",
    "distinct_count": "count_uniq",
    "count_distinct": "count_uniq",
    "estdc": "approx_count_uniq",
    "approx_count_distinct": "approx_count_uniq",
    "mean": "avg",
    "perc": "percentile",
    "quantile": "percentile",
    "std_dev": "stdev",
    "stddev": "stdev",
    "variance": "var",
    "uniq_values": "values",
    "row_any": "first",
}
PERCENTILES = ("percentile", "approx_percentile")
# p95, perc95, exactperc95, p99.9, approx_p50
SHORT_PERCENTILE = compile_later(
    r"(?P<approx>approx_)?(?:p|perc|exactperc|percentile)(?P<percent>[0-9]{1,3}(?:\.[0-9]{1,9})?)"
)

FUNCTIONS: dict[str, Signature] = {
    signature.name: signature
    for signature in (
        Signature("if", 2, 3, "any", "the second argument if the first is true, else the third"),
        Signature(
            "case",
            2,
            None,
            "any",
            "the value after the first true condition, else the last argument",
        ),
        Signature("coalesce", 1, None, "any", "the first argument that is not null"),
        Signature("nullif", 2, 2, "any", "null if both are equal, else the first"),
        Signature("lower", 1, 1, "text", "the text in lower case"),
        Signature("upper", 1, 1, "text", "the text in upper case"),
        Signature("len", 1, 1, "number", "number of characters"),
        Signature("len_bytes", 1, 1, "number", "number of bytes in UTF-8"),
        Signature("trim", 1, 2, "text", "whitespace, or these characters, removed at both ends"),
        Signature("ltrim", 1, 2, "text", "whitespace, or these characters, removed at the start"),
        Signature("rtrim", 1, 2, "text", "whitespace, or these characters, removed at the end"),
        Signature(
            "substr",
            2,
            3,
            "text",
            "part of a text, from a position (1 is the first, -1 the last) and with a length",
        ),
        Signature(
            "replace", 3, 3, "text", "the text with each match of a regular expression replaced"
        ),
        Signature("split", 2, 2, "list", "the text split at a separator"),
        Signature("join", 2, 2, "text", "the values of a list joined with a separator"),
        Signature("concat", 1, None, "text", "all arguments concatenated"),
        Signature("startswith", 2, 2, "bool", "whether a text starts with another"),
        Signature("endswith", 2, 2, "bool", "whether a text ends with another"),
        Signature("contains", 2, 2, "bool", "whether a text contains another"),
        Signature("urldecode", 1, 1, "text", "the percent-decoded text"),
        Signature("urlencode", 1, 1, "text", "the percent-encoded text"),
        Signature("index_of", 2, 2, "number", "position of a text in another, from 1; 0 if absent"),
        Signature("lpad", 2, 3, "text", "padded on the left to a length"),
        Signature("rpad", 2, 3, "text", "padded on the right to a length"),
        Signature("reverse", 1, 1, "text", "the characters in reverse order"),
        Signature("match", 2, 2, "bool", "whether a regular expression matches somewhere"),
        Signature(
            "capture",
            2,
            3,
            "text",
            "a group of a regular expression's first match, the first by default",
        ),
        Signature("like", 2, 2, "bool", "whether a text matches a pattern with % and _"),
        Signature("now", 0, 0, "time", "the time of the query"),
        Signature("strftime", 2, 2, "text", "a time formatted as text"),
        Signature("strptime", 2, 2, "time", "a time parsed with a format"),
        Signature(
            "time", 0, 1, "time", "the value as a time; without an argument the time of the query"
        ),
        Signature("bucket", 2, 2, "any", "a time or number rounded down to a multiple"),
        Signature("relative_time", 2, 2, "time", 'a time moved by an offset such as "-1d@d"'),
        Signature("year", 1, 1, "number", "year of a time"),
        Signature("month", 1, 1, "number", "month of a time, from 1"),
        Signature("day", 1, 1, "number", "day of the month"),
        Signature("hour", 1, 1, "number", "hour of a time"),
        Signature("minute", 1, 1, "number", "minute of a time"),
        Signature("second", 1, 1, "number", "second of a time"),
        Signature("weekday", 1, 1, "number", "day of the week, Monday is 1"),
        Signature("cidrmatch", 2, 2, "bool", "whether a network contains an address"),
        Signature("ipprefix", 2, 2, "text", "the network of an address, with a number of bits"),
        Signature("is_ipv4", 1, 1, "bool", "whether it is an IPv4 address"),
        Signature("is_ipv6", 1, 1, "bool", "whether it is an IPv6 address"),
        Signature("is_private", 1, 1, "bool", "whether it is an address of a private network"),
        Signature("typeof", 1, 1, "text", "the name of the value's type"),
        Signature("tonumber", 1, 2, "number", "a text as a number, in a base"),
        Signature("toint", 1, 1, "number", "the number without its fraction"),
        Signature("duration", 1, 1, "number", "seconds of a duration such as 1h30m or 250ms"),
        Signature("bytes", 1, 1, "number", "bytes of a size such as 10KB or 1.5MiB"),
        Signature("tostring", 1, 2, "text", "the value as text, or in a format such as commas"),
        Signature("dur2sec", 1, 1, "number", "the seconds of a duration such as 01:30:00"),
        Signature("tobool", 1, 1, "bool", "a text or number as a boolean"),
        Signature("isnull", 1, 1, "bool", "whether there is no value"),
        Signature("isnotnull", 1, 1, "bool", "whether there is a value"),
        Signature("isnum", 1, 1, "bool", "whether it is a number"),
        Signature("isstr", 1, 1, "bool", "whether it is a text"),
        Signature("isbool", 1, 1, "bool", "whether it is a boolean"),
        Signature("in", 2, None, "bool", "whether the first equals one of the others"),
        Signature("abs", 1, 1, "number", "the absolute value"),
        Signature("ceil", 1, 1, "number", "rounded up"),
        Signature("floor", 1, 1, "number", "rounded down"),
        Signature("round", 1, 2, "number", "rounded to a number of digits, 0 by default"),
        Signature("sqrt", 1, 1, "number", "square root"),
        Signature("pow", 2, 2, "number", "the first argument to the power of the second"),
        Signature("exp", 1, 1, "number", "e to the power of the argument"),
        Signature("ln", 1, 1, "number", "natural logarithm"),
        Signature("log10", 1, 1, "number", "logarithm to base 10"),
        Signature("log", 1, 2, "number", "logarithm to a base, 10 by default"),
        Signature("least", 1, None, "any", "the smallest argument"),
        Signature("greatest", 1, None, "any", "the largest argument"),
        Signature("sign", 1, 1, "number", "-1, 0 or 1"),
        Signature("mod", 2, 2, "number", "remainder of a division"),
        Signature(
            "mvindex", 2, 3, "any", "the values of a list from one position to another, from 0"
        ),
        Signature("mvcount", 1, 1, "number", "number of values in a list"),
        Signature("mvdedup", 1, 1, "list", "the distinct values of a list"),
        Signature("mvsort", 1, 1, "list", "the sorted values of a list"),
        Signature("mvappend", 1, None, "list", "all values in one list"),
        Signature("mvfind", 2, 2, "number", "index of the first value that matches, from 0"),
        Signature("mvzip", 2, 3, "list", "the values of two lists, paired as texts"),
        Signature("mvfilter", 1, 1, "list", "the values of a list that pass a test"),
        Signature("first", 1, 1, "any", "first value of a list"),
        Signature("last", 1, 1, "any", "last value of a list"),
        Signature("md5", 1, 1, "text", "MD5 of a text in hexadecimal"),
        Signature("sha256", 1, 1, "text", "SHA-256 of a text in hexadecimal"),
        Signature("base64decode", 1, 1, "text", "the text in base64"),
        Signature("base64encode", 1, 1, "text", "in base 64"),
        Signature("hexencode", 1, 1, "text", "the bytes of a text in hexadecimal"),
        Signature("json_quote", 1, 1, "text", "the text as a JSON string"),
        Signature("json_get", 2, 2, "any", "the value at a path inside a JSON text"),
    )
}
FUNCTION_ALIASES: dict[str, str] = {
    "iif": "if",
    "ifnull": "coalesce",
    "nvl": "coalesce",
    "to_lower": "lower",
    "tolower": "lower",
    "to_upper": "upper",
    "toupper": "upper",
    "length": "len",
    "strlen": "len",
    "substring": "substr",
    "mvjoin": "join",
    "max": "greatest",
    "min": "least",
    "spath": "json_get",
    "starts_with": "startswith",
    "ends_with": "endswith",
    "strpos": "index_of",
    "regexp_like": "match",
    "regexp_extract": "capture",
    "regexp_replace": "replace",
    "bin": "bucket",
    "cidr_match": "cidrmatch",
    "isipv4": "is_ipv4",
    "isipv6": "is_ipv6",
    "to_number": "tonumber",
    "to_int": "toint",
    "to_string": "tostring",
    "to_bool": "tobool",
    "is_null": "isnull",
    "is_not_null": "isnotnull",
    "isnumber": "isnum",
    "isstring": "isstr",
    "ceiling": "ceil",
    "power": "pow",
    "base64_decode": "base64decode",
    "base64_encode": "base64encode",
    "base64_encode_tostring": "base64encode",
    "to_base64": "base64encode",
    "json_extract": "json_get",
}
REGEX_ARGUMENTS: dict[str, int] = {"match": 1, "capture": 1, "replace": 1, "mvfind": 1}


def find_aggregate(written: str) -> Signature | None:
    """Return an aggregate by name or alias, ignoring case; without the short percentiles."""
    name = written.lower()
    return AGGREGATES.get(AGGREGATE_ALIASES.get(name, name))


def find_function(written: str) -> Signature | None:
    """Return a function by name or alias, ignoring case."""
    name = written.lower()
    return FUNCTIONS.get(FUNCTION_ALIASES.get(name, name))


CALLED = compile_later(r"(?P<function>[A-Za-z_][\w.]*+)\((?P<argument>[^()]*+)\)")
NO_ARGUMENT = frozenset({"", "*"})


def settle_quoted_column(text: str, mark: str) -> str:
    """Return the column of a quoted name; in backticks it is taken literally."""
    name = settle_quoted_name(text, mark)
    return name if "`" in mark + text else name_column(name)


def name_column(written: str) -> str:
    """Return the column of an unnamed aggregate, given a name that may use an alias: `dc(user)`."""
    called = CALLED.fullmatch(written)
    if called is None:
        return written
    function, argument = called["function"], called["argument"].strip()
    short = SHORT_PERCENTILE.fullmatch(function.lower())
    signature = find_aggregate(function)
    if short:
        percent = float(short["percent"])
        written_percent = int(percent) if percent == int(percent) else percent
        return f"{short['approx'] or ''}p{written_percent}({argument})"
    if signature and not signature.minimum and argument in NO_ARGUMENT:
        return signature.name
    return f"{signature.name}({argument})" if signature and argument else written
