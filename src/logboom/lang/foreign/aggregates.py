"""Aggregates of other languages that do not exist here."""

from logboom.lang.foreign.rows import Foreign, foreign

ARGUMENT = r"(?P<a>[^(),|]+|[^(),|]*\([^()|]*\)[^(),|]*)"
OPEN, CLOSE = r"\s*\(\s*", r"\s*\)"

AGGREGATES: tuple[Foreign, ...] = (
    foreign(
        "Kusto, SQL",
        "countif count_if",
        "count if (level:error)",
        edits=((OPEN + r"(?P<a>[^|]*?)" + CLOSE, r"count if (\g<a>)"),),
    ),
    *(
        foreign(
            "Kusto",
            f"{name}if",
            f"{name}(a) if (level:error)",
            edits=(
                (
                    OPEN + ARGUMENT + r",\s*(?P<test>[^|]*?)" + CLOSE,
                    rf"{name}(\g<a>) if (\g<test>)",
                ),
            ),
        )
        for name in ("sum", "avg", "min", "max", "stdev")
    ),
    foreign(
        "Kusto",
        "dcountif",
        "count_uniq(a) if (level:error)",
        edits=(
            (OPEN + ARGUMENT + r",\s*(?P<test>[^|]*?)" + CLOSE, r"count_uniq(\g<a>) if (\g<test>)"),
        ),
    ),
    foreign(
        "Kusto, Datadog",
        "dcount cardinality nunique unique uniq distinct hll",
        "count_uniq(a)",
        edits="count_uniq",
    ),
    foreign(
        "Kusto, SQL",
        "make_list array_agg group_concat string_agg json_values",
        "list(a)",
        edits="list",
    ),
    foreign("Kusto", "make_set make_bag", "values(a)", edits="values"),
    foreign("Kusto, SQL", "take_any any any_value anyvalue", "first(a)", edits="first"),
    foreign(
        "Kusto, LogsQL",
        "arg_max field_max",
        "row_max(a)",
        edits=((OPEN + ARGUMENT + r"(?:,[^()|]*)?" + CLOSE, r"row_max(\g<a>)"),),
    ),
    foreign(
        "Kusto, LogsQL",
        "arg_min field_min",
        "row_min(a)",
        edits=((OPEN + ARGUMENT + r"(?:,[^()|]*)?" + CLOSE, r"row_min(\g<a>)"),),
    ),
    foreign("Kusto", "percentiles", "p50(a), p95(a)"),
    foreign("Kusto", "tdigest", "approx_percentile(a, 95)"),
    foreign("LogsQL", "histogram", "count by a:10"),
    foreign(
        "SPL", "sumsq", "sum(a * a)", edits=((OPEN + ARGUMENT + CLOSE, r"sum(\g<a> * \g<a>)"),)
    ),
    foreign("SPL", "sparkline", note="`timechart 5m count by a` gives the series"),
    foreign("SPL", "estdc_error", note="`count_uniq(a)` is exact"),
    foreign("SPL", "earliest_time", "min(_time)"),
    foreign("SPL", "latest_time", "max(_time)"),
    foreign(
        "SPL", "per_second per_minute per_hour per_day", "rate(a)", note="it counts rows per second"
    ),
    foreign("SQL", "total", "sum(a)", edits="sum"),
    foreign("ES|QL", "weighted_avg", "sum(a * b)", note="divide it by `sum(b)` in an `eval`"),
    foreign("ES|QL", "median_absolute_deviation", "stdev(a)"),
    foreign("ES|QL", "top", note="`| top 10 a` is a pipe"),
    foreign("LogQL", "count_over_time", "count", note="write `| timechart 5m count`"),
    *(
        foreign(
            "LogQL", f"{name}_over_time", f"{name}(a)", note=f"write `| timechart 5m {name}(a)`"
        )
        for name in ("sum", "avg", "min", "max", "first", "last")
    ),
    foreign(
        "LogQL",
        "stddev_over_time stdvar_over_time",
        "stdevp(a)",
        note="write `| timechart 5m stdevp(a)`",
    ),
    foreign("LogQL", "quantile_over_time", "p95(a)", note="write `| timechart 5m p95(a)`"),
    foreign(
        "LogQL",
        "bytes_over_time bytes_rate",
        "sum(len_bytes(message))",
        note="write `| timechart 5m sum(len_bytes(message))`",
    ),
    foreign("LogQL", "absent_over_time absent", "count", note="where there are no events it is 0"),
    foreign("LogQL", "topk bottomk", "count by a", note="with `| sort -count | limit 5` after it"),
)
