"""`stats`: one row per combination of the keys' values."""

import pickle
from collections import defaultdict
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.aggregates.naive import aggregate, agrees, order_key, unify
from tests.engine.pipes.tables import (
    Row,
    cut_lists,
    find_first,
    make_key,
    make_table,
    mixed_rows,
    read,
    run,
    run_split,
    sort_newest,
)

from logboom.base.errors import Invalid
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

COUNT = ast.Aggregate("count", name="count")
FUNCTIONS = ("count", "count_uniq", "max", "mode", "values", "list", "first", "last")
key_lists = st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True)


def stats(
    *keys: str | ast.Key, aggregates: tuple[ast.Aggregate, ...] = (COUNT,), **given: Any
) -> MergePipe:
    made = tuple(ast.Key(key) if isinstance(key, str) else key for key in keys)
    return make_stats(ast.Stats(aggregates, made), Conditions(**given))


def of_field(function: str, field: str) -> ast.Aggregate:
    return ast.Aggregate(function, ast.Field(field), name=f"{function}({field})")


def group(rows: list[Row], keys: list[str], results: tuple[ast.Aggregate, ...]) -> list[Row]:
    """What the pipe must give, in order."""
    groups: defaultdict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(make_key(row.get(key)) for key in keys)].append(row)
    if not keys and not rows:
        groups[()] = []
    answers = []
    for members in groups.values():
        answer = {key: unify(find_first(members[0].get(key))) for key in keys}
        for result in results:
            assert isinstance(result.argument, ast.Field)
            answer[result.name] = aggregate(result.function, members, result.argument.name)
        answers.append(answer)

    def order(answer: Row) -> list[Any]:
        first = [-answer[results[0].name]] if results[0].function == "count" else []
        return first + [order_key(answer[key]) for key in keys]

    return sorted(answers, key=order)


def test_it_counts_each_value_the_most_frequent_first() -> None:
    rows = [{"Host": host} for host in ["b", "a", "b", "c", None]]
    found = read(run_split(stats("host"), make_table(rows, events=True), [1, 3]))
    assert found == [
        {"host": "b", "count": 2},
        {"host": "a", "count": 1},
        {"host": "c", "count": 1},
        {"count": 1},
    ]


def test_other_aggregates_are_in_the_order_of_the_keys() -> None:
    rows = [{"host": "b", "size": 1}, {"host": "a", "size": 2}, {"host": "b", "size": 4}]
    pipe = stats("host", aggregates=(of_field("sum", "size"), COUNT))
    assert read(run(pipe, make_table(rows))) == [
        {"host": "a", "sum(size)": 2, "count": 1},
        {"host": "b", "sum(size)": 5, "count": 2},
    ]


@settings(deadline=None)
@given(
    mixed_rows, cut_lists, key_lists, st.lists(st.sampled_from(FUNCTIONS), min_size=1, unique=True)
)
def test_pieces_of_events_give_what_plain_python_does(
    rows: list[Row], cuts: list[int], keys: list[str], functions: list[str]
) -> None:
    results = tuple(of_field(function, "message") for function in functions)
    pipe = stats(*keys, aggregates=results)
    found = read(run_split(pipe, make_table(rows, events=True), cuts))
    expected = group(sort_newest(rows), keys, results)
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        assert all(agrees(row.get(name), value) for name, value in other.items()), (row, other)


def test_no_rows_give_one_row_without_keys_and_none_with() -> None:
    for table in (make_table([], events=True), make_table([])):
        assert read(run(stats(), table)) == [{"count": 0}]
        assert read(run(stats("host"), table)) == []
        averages = stats(aggregates=(of_field("avg", "x"), of_field("first", "x")))
        assert read(run(averages, table)) == [{}]


def test_a_field_that_nothing_has_makes_one_group() -> None:
    table = make_table([{"a": 1}, {"a": 2}], events=True)
    assert read(run_split(stats("none", "nor.this"), table, [1])) == [{"count": 2}]


def test_fields_may_have_any_name() -> None:
    names = ("self", "frame", "0.n", "a:int", "exprs")
    table = make_table([dict.fromkeys(names, "x")], events=True)
    latest = (ast.Aggregate("latest", ast.Field("self"), name="by"),)
    found = read(run_split(stats(*names, aggregates=latest), table, []))
    assert found == [dict.fromkeys((*names, "by"), "x")]


def test_it_works_on_the_table_of_an_earlier_pipe() -> None:
    rows: list[Row] = [{"host": host} for host in "aab"]
    counts = run(stats("host"), make_table(rows, events=True))
    again = run(stats("count", aggregates=(of_field("values", "host"),)), counts)
    assert read(again) == [
        {"count": 1, "values(host)": ["b"]},
        {"count": 2, "values(host)": ["a"]},
    ]


def test_an_argument_may_be_computed() -> None:
    double = ast.Binary("*", ast.Field("x"), ast.Literal(2))
    pipe = stats("host", aggregates=(ast.Aggregate("sum", double, name="s"),))
    rows: list[Row] = [{"host": "a", "x": 1}, {"host": "a", "x": "4"}, {"host": "b"}]
    table = make_table(rows, events=True)
    assert read(run_split(pipe, table, [1])) == [{"host": "a", "s": 10}, {"host": "b"}]


def test_times_are_grouped_by_days_of_the_zone() -> None:
    hours = 3600 * 10**9
    berlin = ZoneInfo("Europe/Berlin")
    rows = [{"_time": hour * hours} for hour in (21, 22, 23, 24 + 22)]
    pipe = stats(ast.Key("_time", ast.Quantity(1, "d")), zone=berlin)
    found = read(run_split(pipe, make_table(rows, events=True), [2]))
    assert found == [{"_time": -hours, "count": 2}, {"_time": 23 * hours, "count": 2}]


def test_numbers_are_grouped_by_multiples() -> None:
    rows = [{"size": size} for size in (0, 9_999, 10_000, -1, "10500", 12_345.5, "x", None)]
    pipe = stats(
        ast.Key("size", ast.Quantity(10, "KB")), aggregates=(of_field("first", "size"), COUNT)
    )
    found = {row.get("size"): row["count"] for row in read(run(pipe, make_table(rows)))}
    assert found == {-10_000: 1, 0: 2, 10_000: 3, None: 2}


def test_addresses_are_grouped_by_networks() -> None:
    addresses = [
        "10.1.2.3",
        "10.1.2.200",
        "::ffff:10.1.2.9",
        "10.1.3.1",
        "2001:db8::1",
        "x",
        "1.2.3.400",
    ]
    pipe = stats(ast.Key("ip", prefix_bits=24))
    table = make_table([{"ip": address} for address in addresses], events=True)
    assert {row.get("ip"): row["count"] for row in read(run_split(pipe, table, [2]))} == {
        "10.1.2.0/24": 3,
        "10.1.3.0/24": 1,
        "2001:d00::/24": 1,
        None: 2,
    }


def test_the_rate_of_a_span_is_that_of_its_seconds() -> None:
    rows = [{"_time": second * 10**9} for second in (0, 1, 61)]
    rate = (ast.Aggregate("rate", name="rate"),)
    pipe = stats(ast.Key("_time", ast.Quantity(1, "m")), aggregates=rate)
    found = read(run_split(pipe, make_table(rows, events=True), [1]))
    assert [row["rate"] for row in found] == [2 / 60, 1 / 60]


def test_it_reads_only_what_it_needs() -> None:
    pipe = stats("Host", aggregates=(of_field("sum", "size"),))
    assert pipe.needs().fields == {"host", "size"}
    assert not pipe.needs_identity
    assert stats(aggregates=(of_field("first", "size"),)).needs_identity


def test_it_can_be_sent_to_another_process() -> None:
    pipe = stats("host", aggregates=(of_field("list", "size"),))
    table = make_table([{"host": "a", "size": 1}], events=True)
    expected = read(run(pipe, table))
    partial = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(pipe)).compute(table)))
    assert read(pipe.finish(pipe.merge([partial]))) == expected


def test_names_that_are_the_same_in_any_case_are_refused() -> None:
    with pytest.raises(Invalid, match="column 'COUNT' occurs twice, expected distinct names"):
        stats("COUNT")


def test_a_bucket_without_width_is_refused() -> None:
    with pytest.raises(Invalid, match="buckets of size are 0 wide, expected more than 0"):
        stats(ast.Key("size", ast.Quantity(0)))
