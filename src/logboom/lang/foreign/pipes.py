"""Pipes, commands and operators of other languages that do not exist here."""

from logboom.lang.foreign.rows import Foreign, foreign

FIELD = r"[\w.@]+"

PIPES: tuple[Foreign, ...] = (
    # Columns
    foreign("Kusto", "project-away", "drop a, b", edits="drop"),
    foreign("Kusto", "project-keep project-reorder", "fields a, b", edits="fields"),
    foreign(
        "Kusto",
        "project-rename",
        "rename a as b",
        edits=((rf"\s+(?P<new>{FIELD})\s*=\s*(?P<old>{FIELD})", r"rename \g<old> as \g<new>"),),
    ),
    foreign("LogsQL, jq", "del", "drop a, b", edits="drop"),
    foreign("LogsQL", "drop_empty_fields", note="empty fields can be left out with `drop a`"),
    foreign("SQL", "select", "fields a, b", edits="fields"),
    foreign(
        "LogQL",
        "label_format",
        "rename a as b",
        edits=((rf"\s+(?P<new>{FIELD})\s*=\s*(?P<old>{FIELD})", r"rename \g<old> as \g<new>"),),
    ),
    foreign("Kusto", "getschema", note="the field panel and `/api/fields` list the fields"),
    foreign(
        "SPL",
        "fieldsummary metadata metasearch mcatalog walklex typeahead",
        note="the field panel and `/api/fields` describe the fields",
    ),
    foreign(
        "LogsQL", "facets field_names", note="the field panel and `/api/fields` list the fields"
    ),
    # Rows
    foreign("shell", "wc", "stats count", edits=((r"[ \t]*(?:-[a-z]+)?", "stats count"),)),
    foreign(
        "shell",
        "grep egrep fgrep zgrep rg ack",
        "where error",
        edits=(
            (r"\s+-[a-zA-Z]*v[a-zA-Z]*\s+", "where NOT "),
            (r"\s+-[a-zA-Z]*[EP][a-zA-Z]*\s+\"(?P<re>[^\"|]*)\"", r'where message=~"\g<re>"'),
            (r"\s+-[a-zA-Z]*[EP][a-zA-Z]*\s+'(?P<re>[^']*)'", r"where message=~'\g<re>'"),
            (r"\s+(?:-[a-zA-Z]+\s+)*", "where "),
        ),
    ),
    foreign("SQL", "having", "where count > 10", edits="where"),
    foreign("Kusto", "find", "where error", edits="where"),
    foreign("Kusto", "parse-where", 'extract "user=<user> "'),
    foreign("SPL", "reverse", "sort _time", edits="sort _time"),
    foreign("Kusto", "sample-distinct", "uniq a"),
    foreign("SQL", "group", "stats count by a", edits=((r"\s+by\b", "stats count by"),)),
    foreign(
        "jq",
        "group_by",
        "stats count by a",
        edits=((rf"\s*\(\s*\.?(?P<field>{FIELD})\s*\)", r"stats count by \g<field>"),),
    ),
    foreign(
        "jq",
        "sort_by",
        "sort a",
        edits=((rf"\s*\(\s*\.?(?P<field>{FIELD})\s*\)", r"sort \g<field>"),),
    ),
    foreign(
        "jq",
        "unique_by unique",
        "uniq a",
        edits=((rf"\s*\(\s*\.?(?P<field>{FIELD})\s*\)", r"uniq \g<field>"),),
    ),
    foreign("jq", "length", "stats count", edits="stats count"),
    foreign("jq, shell", "jq", "unpack json"),
    foreign(
        "shell",
        "less more cat tee xargs",
        note="results are paged automatically, remove it",
        edits=((r"[^|]*\|?", ""),),
    ),
    foreign(
        "Kusto",
        "render",
        note="the page draws charts of tables automatically, remove it",
        edits=((r"[^|]*\|?", ""),),
    ),
    # Aggregation
    foreign("Kusto", "make-series", "timechart 5m count by a"),
    foreign("SPL", "makecontinuous", "timechart 5m count by a"),
    foreign("SPL", "sistats", "stats count by a", edits="stats"),
    foreign("SPL", "sitimechart", "timechart 5m count by a", edits="timechart"),
    foreign("SPL", "sitop", "top 10 a", edits="top"),
    foreign("SPL", "sirare", "rare 10 a", edits="rare"),
    foreign("SPL", "autoregress", "streamstats window=2 current=false last(a)"),
    foreign("SPL", "addcoltotals", "union (error | stats sum(a))"),
    foreign("SPL", "eventcount", "stats count by _index"),
    foreign("Kusto", "top-hitters top-nested", "top 10 a"),
    foreign("Kusto", "reduce", "patterns", edits=((r"\s+by\s+", "patterns from "),)),
    foreign("LogQL", "unwrap", "stats sum(a)"),
    foreign("SPL", "contingency correlate associate counttable", "stats count by a, b"),
    # Values
    foreign("LogQL", "line_format", 'eval message = concat("user ", a)'),
    foreign("SPL", "rangemap", 'eval a = case(b < 10, "low", b < 100, "middle", "high")'),
    foreign("SPL", "mvcombine", "stats values(a) by b"),
    foreign("Kusto, SQL", "mv-apply explode", "mvexpand a"),
    foreign(
        "LogsQL",
        "hash",
        "eval h = md5(a)",
        edits=(
            (
                rf"\s*\(\s*(?P<field>{FIELD})\s*\)\s*as\s+(?P<name>{FIELD})",
                r"eval \g<name> = md5(\g<field>)",
            ),
        ),
    ),
    foreign(
        "LogsQL",
        "block_stats blocks_count",
        note="the page Status shows what is stored, and `explain` how a query is run",
        edits=((r"[^|]*\|?", ""),),
    ),
    foreign("LogsQL", "split", 'eval a = split(b, ",")'),
    foreign(
        "shell",
        "sed",
        'replace "a" with "b"',
        edits=(
            (
                r"\s+['\"]?s/(?P<old>[^/|'\"]+)/(?P<new>[^/|'\"]*)/[a-z]*['\"]?",
                r'replace "\g<old>" with "\g<new>"',
            ),
        ),
    ),
    foreign("LogsQL", "time_add", "eval later = _time + 1h"),
    # Fields inside a text
    foreign("ES|QL", "grok", 'rex "(?<user>[a-z]+)"'),
    foreign("Kusto", "parse-kv", "unpack kv"),
    foreign("SPL", "multikv xmlkv kvform", "unpack kv", edits=((r"\s*(?=\||\Z)", "unpack kv "),)),
    foreign("SPL", "erex", 'rex "(?<user>[a-z]+)"'),
    foreign("SPL", "xpath", 'rex "<user>(?<user>[^<]*)</user>"'),
    foreign(
        "LogsQL",
        "unpack_words",
        'eval words = split(message, " ")',
        edits=(
            (
                rf"\s+(?:from\s+)?_msg\s+as\s+(?P<name>{FIELD})",
                r'eval \g<name> = split(message, " ")',
            ),
            (
                rf"\s+(?:from\s+)?(?P<field>{FIELD})\s+as\s+(?P<name>{FIELD})",
                r'eval \g<name> = split(\g<field>, " ")',
            ),
        ),
    ),
    foreign(
        "LogsQL",
        "json_array_len",
        "eval n = mvcount(a)",
        edits=(
            (
                rf"\s*\(\s*(?P<field>{FIELD})\s*\)\s*as\s+(?P<name>{FIELD})",
                r"eval \g<name> = mvcount(\g<field>)",
            ),
        ),
    ),
    foreign("shell", "awk cut", 'extract "<first> <second> "'),
    # Other sources
    foreign("SPL", "appendpipe appendcols", "union (error)"),
    foreign("ES|QL", "enrich", "lookup users a"),
    foreign("SPL", "inputcsv", "inputlookup users"),
    foreign(
        "SPL",
        "outputlookup outputcsv collect mcollect meventcollect",
        note="queries do not write; export the answer instead",
    ),
    foreign(
        "SPL",
        "iplocation geostats",
        note="locations of addresses are not known; a lookup table can have them: `lookup networks a`",
    ),
    foreign("SPL", "map", "where a:in(error | fields a)"),
    foreign("SPL", "selfjoin", "eventstats count by a"),
    foreign("SPL", "sendemail sendalert", note="save the query as an alert instead"),
    foreign("SPL", "script run", note="queries run no programs"),
    foreign("SPL", "addinfo", note="the time range is no field; `now()` is the time of the query"),
    foreign(
        "SPL",
        "set",
        note="`where a:in(error | fields a)` finds what another query finds, with NOT what it does not",
    ),
    foreign("SPL", "fromjson", "unpack json"),
    foreign("SPL", "localop", note="remove it", edits=((r"[^|]*\|?", ""),)),
    foreign("SPL, ES|QL", "makeresults gentimes row", note="rows come from events only"),
    foreign("SPL", "datamodel pivot loadjob savedsearch from", note="write the query itself"),
    foreign(
        "SPL",
        "transpose",
        note="rows cannot be turned into columns; `timechart 5m count by a` makes one for each value",
    ),
    foreign(
        "SPL, CloudWatch",
        "timewrap compare",
        note="`diff (previous 1d) by a` compares a range of time with the one before it",
    ),
    foreign(
        "SPL, ES|QL",
        "anomalydetection anomalies outlier predict kmeans change_point fit apply",
        note="`diff (previous 1h) by a` shows what changed",
    ),
    foreign(
        "Kusto",
        "evaluate invoke scan partition serialize fork facet externaldata datatable print",
        note="run one query after the other",
    ),
    foreign(
        "SPL", "rest dbinspect", note="the page Status and `/metrics` show how the service is doing"
    ),
)
