"""Functions of other languages that do not exist here."""

from logboom.lang.foreign.rows import Foreign, foreign

A = r"(?P<a>[^(),|]+|[^(),|]*\([^()|]*\)[^(),|]*?)"
B = A.replace("<a>", "<b>")
C = A.replace("<a>", "<c>")
OPEN, CLOSE, COMMA = r"\s*\(\s*", r"\s*\)", r"\s*,\s*"
NONE, ONE = OPEN + CLOSE, OPEN + A + CLOSE
TWO, THREE = OPEN + A + COMMA + B + CLOSE, OPEN + A + COMMA + B + COMMA + C + CLOSE

FUNCTIONS: tuple[Foreign, ...] = (
    # Constants and tests
    foreign(
        "Kusto",
        "isempty empty is_empty",
        'coalesce(a, "") == ""',
        edits=((ONE, r'(coalesce(\g<a>, "") == "")'),),
    ),
    foreign(
        "Kusto",
        "isnotempty notempty is_not_empty",
        'coalesce(a, "") != ""',
        edits=((ONE, r'(coalesce(\g<a>, "") != "")'),),
    ),
    foreign("Kusto", "notlike", 'NOT like(a, "%x%")', edits="NOT like"),
    foreign("SQL", "ilike", 'like(a, "%x%")', edits="like"),
    foreign("Kusto", "iff ifelse", 'if(a > 1, "many", "one")', edits="if"),
    foreign("Kusto", "gettype type", "typeof(a)", edits="typeof"),
    foreign("SPL", "validate", 'case(a > 1, "many", "one")'),
    foreign("Kusto", "isnan isinf isfinite", "isnum(a)"),
    foreign("SPL", "isint", "a == toint(a)", edits=((ONE, r"(\g<a> == toint(\g<a>))"),)),
    foreign(
        "LogsQL",
        "contains_any has_any contains_all has_all",
        'contains(a, "x") OR contains(a, "y")',
    ),
    foreign("Kusto", "has", 'contains(a, "x")', edits="contains"),
    # Numbers
    foreign("Kusto", "max_of", "greatest(a, b)", edits="greatest"),
    foreign("Kusto", "min_of", "least(a, b)", edits="least"),
    foreign("SPL", "sum", "a + b", edits=((TWO, r"(\g<a> + \g<b>)"),)),
    foreign("SPL", "avg mean", "(a + b) / 2", edits=((TWO, r"((\g<a> + \g<b>) / 2)"),)),
    foreign("SPL", "sigfig exact", "round(a, 2)"),
    foreign("SQL", "trunc truncate", "toint(a)", edits=((ONE, r"toint(\g<a>)"),)),
    foreign("Kusto", "log2", "log(a, 2)", edits=((ONE, r"log(\g<a>, 2)"),)),
    foreign("Kusto", "exp10", "pow(10, a)", edits=((ONE, r"pow(10, \g<a>)"),)),
    foreign("Kusto", "exp2", "pow(2, a)", edits=((ONE, r"pow(2, \g<a>)"),)),
    foreign("ES|QL", "cbrt", "pow(a, 1 / 3)", edits=((ONE, r"pow(\g<a>, 1 / 3)"),)),
    foreign("SPL", "pi", "3.141592653589793", edits=((NONE, "3.141592653589793"),)),
    foreign("SPL, SQL", "random rand", note="`| sample 100` takes one row in a hundred"),
    foreign(
        "Kusto, ES|QL",
        "toreal todouble to_double tofloat to_float todecimal",
        "tonumber(a)",
        edits="tonumber",
    ),
    foreign("Kusto, ES|QL", "tolong to_long to_integer tointeger", "toint(a)", edits="toint"),
    foreign("ES|QL", "to_boolean toboolean", "tobool(a)", edits="tobool"),
    foreign("SQL", "cast convert", "tonumber(a)", note="or `toint`, `tostring`, `tobool`, `time`"),
    # Texts
    foreign("Kusto, SPL", "strcat printf", 'concat(a, " ", b)', edits="concat"),
    foreign("Kusto, SQL", "strcat_delim concat_ws", 'concat(a, ",", b)'),
    foreign("SQL", "char_length character_length", "len(a)", edits="len"),
    foreign("SQL", "left", "substr(a, 1, 3)", edits=((TWO, r"substr(\g<a>, 1, \g<b>)"),)),
    foreign("SQL", "right", "substr(a, -3)", edits=((TWO, r"substr(\g<a>, -\g<b>)"),)),
    foreign("Kusto", "indexof instr locate position", 'index_of(a, "x")', edits="index_of"),
    foreign("Kusto", "replace_regex replace_string", 'replace(a, "[0-9]+", "N")', edits="replace"),
    foreign("Kusto", "trim_start", "ltrim(a)", edits=((ONE, r"ltrim(\g<a>)"),)),
    foreign("Kusto", "trim_end", "rtrim(a)", edits=((ONE, r"rtrim(\g<a>)"),)),
    foreign(
        "Kusto",
        "matches_regex regexmatch regex_match regexp_matches rlike",
        'match(a, "[0-9]+")',
        edits="match",
    ),
    foreign(
        "Kusto",
        "extract",
        'capture(a, "id=([0-9]+)")',
        edits=((THREE, r"capture(\g<c>, \g<a>, \g<b>)"),),
    ),
    foreign("SQL", "regex_extract", 'capture(a, "id=([0-9]+)")', edits="capture"),
    foreign("Kusto", "extract_all", 'capture(a, "id=([0-9]+)")', note="it gives the first match"),
    foreign("Kusto", "hash_md5", "md5(a)", edits="md5"),
    foreign("Kusto", "hash_sha256 sha2", "sha256(a)", edits="sha256"),
    foreign("SPL", "sha1 sha512 hash", "sha256(a)"),
    foreign(
        "Kusto, ES|QL",
        "base64_decode_tostring from_base64",
        "base64decode(a)",
        edits="base64decode",
    ),
    foreign("Kusto", "url_decode", "urldecode(a)", edits="urldecode"),
    foreign("Kusto", "url_encode", "urlencode(a)", edits="urlencode"),
    foreign("Kusto", "parse_url parse_path", 'capture(a, "://([^/]+)")'),
    foreign(
        "SQL",
        "repeat initcap space",
        "upper(a)",
        note="`upper`, `lower`, `lpad` and `rpad` exist",
    ),
    # JSON and lists
    foreign(
        "SPL, Kusto, SQL",
        "json_value json_query extractjson",
        'json_get(a, "b.c")',
        edits="json_get",
    ),
    foreign(
        "Kusto",
        "parse_json todynamic tojson",
        'json_get(a, "b.c")',
        note="`| unpack json from a` gives all fields",
    ),
    foreign("Kusto, ES|QL", "array_length mv_count cardinality", "mvcount(a)", edits="mvcount"),
    foreign("ES|QL", "mv_first", "first(a)", edits="first"),
    foreign("ES|QL", "mv_last", "last(a)", edits="last"),
    foreign("ES|QL", "mv_concat array_to_string", 'join(a, ",")', edits="join"),
    foreign(
        "SPL, ES|QL",
        "mvmap mvrange mv_min mv_max",
        note="`mvfilter`, `mvdedup`, `mvsort` and `mvindex` choose values of a list, `| mvexpand a` makes rows of them",
    ),
    foreign("ES|QL", "mv_dedupe", "mvdedup(a)", edits="mvdedup"),
    foreign("ES|QL", "mv_sort", "mvsort(a)", edits="mvsort"),
    foreign("ES|QL", "mv_append", "mvappend(a, b)", edits="mvappend"),
    # Times
    foreign("Kusto", "ago", "now() - 5m", edits=((ONE, r"(now() - \g<a>)"),)),
    foreign(
        "Kusto, ES|QL",
        "todatetime to_datetime datetime unixtime_seconds_todatetime",
        'time("2026-09-01")',
        edits=(
            (OPEN + r"(?P<a>[0-9][^\s\"')|]*)" + CLOSE, r'time("\g<a>")'),
            (ONE, r"time(\g<a>)"),
        ),
    ),
    foreign(
        "ES|QL, SQL",
        "date_trunc",
        "bucket(_time, 1h)",
        edits=(
            *(
                (
                    OPEN + rf"[\"']?(?:1\s*)?{name}s?[\"']?" + COMMA + B + CLOSE,
                    rf"bucket(\g<b>, {span})",
                )
                for name, span in (
                    ("second", "1s"),
                    ("minute", "1m"),
                    ("hour", "1h"),
                    ("day", "1d"),
                    ("week", "1w"),
                )
            ),
            (
                OPEN + r"[\"']?(?P<n>[0-9]+)\s*(?P<unit>[a-z]+)[\"']?" + COMMA + B + CLOSE,
                r"bucket(\g<b>, \g<n>\g<unit>)",
            ),
        ),
    ),
    foreign("Kusto", "startofday", "bucket(_time, 1d)", edits=((ONE, r"bucket(\g<a>, 1d)"),)),
    foreign("Kusto", "startofhour", "bucket(_time, 1h)", edits=((ONE, r"bucket(\g<a>, 1h)"),)),
    foreign("Kusto", "startofweek startofmonth", 'relative_time(_time, "@mon")'),
    foreign("Kusto", "dayofweek day_of_week", "weekday(_time)", edits="weekday"),
    foreign("Kusto", "dayofmonth", "day(_time)", edits="day"),
    foreign("Kusto", "hourofday", "hour(_time)", edits="hour"),
    foreign("Kusto", "monthofyear getmonth", "month(_time)", edits="month"),
    foreign("Kusto", "getyear", "year(_time)", edits="year"),
    foreign(
        "Kusto, ES|QL",
        "date_part date_extract datetime_part",
        "hour(_time)",
        note="or `year`, `month`, `day`, `weekday`, `minute`, `second`",
    ),
    foreign("Kusto, ES|QL", "format_datetime date_format", 'strftime(_time, "%Y-%m-%d")'),
    foreign(
        "SPL",
        "ctime",
        'strftime(a, "%Y-%m-%d %H:%M:%S")',
        edits=((ONE, r'strftime(\g<a>, "%m/%d/%Y %H:%M:%S")'),),
    ),
    foreign("SPL, ES|QL", "mktime date_parse", 'strptime(a, "%Y-%m-%d")'),
    foreign("Kusto, ES|QL", "datetime_diff date_diff", "a - b", note="it is in seconds"),
    foreign("Kusto, SQL", "datetime_add dateadd date_add", "_time + 1h"),
    # Addresses
    foreign(
        "Kusto",
        "ipv4_is_in_range ipv6_is_in_range ipv4_is_match",
        'cidrmatch("10.0.0.0/8", a)',
        edits=((TWO, r"cidrmatch(\g<b>, \g<a>)"),),
    ),
    foreign("Kusto", "ipv4_is_private", "is_private(a)", edits="is_private"),
    foreign(
        "LogsQL, Datadog, LogQL",
        "ipv4_range cidr ip",
        'cidrmatch("10.0.0.0/8", a)',
        note="in filters: `a:10.0.0.0/8`",
    ),
    foreign("Kusto", "parse_ipv4 format_ipv4", "ipprefix(a, 24)"),
)
