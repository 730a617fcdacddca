"""The compiled shredder says what the definition says, of every line there may be."""

import json
from array import array
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.model.strategies import (
    BROKEN,
    COMMON_TIMES,
    ESCAPED,
    NUMBERS,
    OTHER_TIMES,
    SNIPPETS,
    lines,
    mutate,
    nest,
    tame_events,
    write_array,
)
from tests.model.twins import list_places, make_batches, open_native, scan_both, shred_both
from tests.properties import examples
from tests.together import together

from logboom.model.batch import Routes
from logboom.model.columns import MAX_CELLS_PER_BLOCK
from logboom.model.names import parse_template
from logboom.model.rows import sort_rows

TEMPLATES = [
    *("default", "Logs-{{a}}", "{{a.b}}_{{ log.body }}-{{a.b}}", "{{}}x"),
    *("{{timestamp}}{{message}}", "{{k1.k2}}{{Attributes.a.b.c}}"),
]
MUTANTS = 4
LASTING = open_native()
"""Knows the keys of all earlier examples, as a shredder that runs for long does."""

tame_lines = tame_events.map(str.encode)
many_lines = st.lists(tame_lines | tame_lines | lines, min_size=1, max_size=4)


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    many_lines,
    st.sampled_from(TEMPLATES),
    st.sampled_from([None, "", "the default"]),
    st.sampled_from([2000, 2000, 7, 3]),
    st.integers(0, 2**32),
)
@example([b'{"a":1,"b":2,"c":3}'], "default", None, 3, 0)
def test_any_lines(
    some: list[bytes], index: str, source: str | None, max_fields: int, seed: int
) -> None:
    chance = Random(seed)
    several = [*some, *(mutate(line, chance) for line in some for _ in range(MUTANTS))]
    chance.shuffle(several)
    half = len(several) // 2
    datas = [b"\n".join(several[:half]), b"\r\n".join(several[half:])]
    native = LASTING if chance.random() < 0.5 else open_native()
    batches = make_batches(native, datas, index, source)
    places = list(list_places(batches))
    chance.shuffle(places)
    shred_both(native, batches, places, max_fields)


def check_lines(*several: bytes) -> None:
    """Twice with one shredder: the second time it knows the keys."""
    native = open_native()
    for _ in range(2):
        shred_both(native, make_batches(native, [b"\n".join(several)], "{{a}}", "the default"))


@pytest.mark.parametrize("values", [NUMBERS, ESCAPED, BROKEN, COMMON_TIMES, OTHER_TIMES])
@pytest.mark.parametrize("key", ["a", "ts", "message", "_source"])
def test_odd_values(key: str, values: list[str]) -> None:
    several = []
    for value in values:
        line = f'{{"{key}":{value},"b":[{value},{value}]}}'.encode()
        several += [line, line[:-1], f'{{"{key}" : {value} }}'.encode(), b'{"c":2}']
    check_lines(*several)


@together("snippet", SNIPPETS)
def test_a_snippet_at_every_place(snippet: bytes) -> None:
    line = b'{"a":"x\\u00e9","ts":"2024-02-29T12:30:45.5Z","n":{"f":[1.5,-2e3],"t":true}}'
    check_lines(*(line[:at] + snippet + line[at:] for at in range(len(line) + 1)))


def test_every_truncation() -> None:
    line = (
        '{"a": "é\\ud83d\\ude00", "b": [1, 2], "c": {"d": null, "e": -0.5e-3}, "f": false}'.encode()
    )
    check_lines(*(line[:at] for at in range(len(line) + 1)))


def test_every_single_bit_flip() -> None:
    line = b'{"a":"x\\n\xc3\xa9","@t":1700000000123,"n":{"f":[1.5,-2],"t":true},"msg":null}'
    check_lines(
        *(
            line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]
            for at in range(len(line))
            for bit in range(8)
        )
    )


@together("depth", [14, 15, 16, 17, 24, 255, 256, 257, 10_000])
def test_depth(depth: int) -> None:
    values = ["1", "{}", "[]", "[1,2]", '[{"x":1},[2,[null]]]', '"\\ud800"']
    deep = [nest(depth, value).encode() for value in values]
    check_lines(b'{"a":1}', *deep, *(b'{"attributes":' + line + b"}" for line in deep), b'{"b":2}')


@pytest.mark.parametrize("depth", [15, 255, 256, 10_000])
def test_depth_of_arrays(depth: int) -> None:
    check_lines(b'{"a":1}', b'{"a":' + b"[" * depth + b"1" + b"]" * depth + b"}", b'{"b":2}')


@pytest.mark.parametrize("count", [999, 1000, 1001, 5000])
def test_long_arrays(count: int) -> None:
    items = ["7", "0.5", "true", '"x"', "null", "{}", "[1]"]
    check_lines(*(f'{{"a":{write_array([item] * count)},"b":1}}'.encode() for item in items))


def test_more_elements_than_the_parser_holds() -> None:
    members = (f'"k{number}":{write_array(["1"] * 1000)}' for number in range(17))
    check_lines(b"{" + ",".join(members).encode() + b"}")


@together(
    ("count", "value"),
    [
        (4094, "1"),
        (4095, "1"),
        (4095, "{}"),
        (16_370, "null"),
        (16_380, "[]"),
        (8190, '{"x":null}'),
    ],
)
def test_more_members_than_the_parser_holds(count: int, value: str) -> None:
    members = (f'"k{number}":{value}' for number in range(count))
    line = b'{"ts":1700000000,' + ",".join(members).encode() + b"}"
    native = open_native()
    shred_both(native, make_batches(native, [line]))


def test_huge_texts() -> None:
    huge = "é" * 100_000
    check_lines(
        json.dumps({"a": huge}, ensure_ascii=False).encode(),
        json.dumps({"a": huge}).encode(),
        json.dumps({huge: [huge]}, ensure_ascii=False).encode(),
        huge.encode(),
        b'{"a":' + b"1" * 100_000 + b',"b":0.' + b"1" * 100_000 + b"}",
    )


@pytest.mark.parametrize("length", [1023, 1024, 1025, 300_000])
def test_long_paths(length: int) -> None:
    key = b"x" * (length - 1)
    members = b",".join(b'"k%d":%d' % (number, number) for number in range(300))
    check_lines(
        b'{"%b":{"y":{%b}}}' % (key, members),
        b'{"%b":[{"y":{"a":1}},{"y":[[1],[2],{"z":3}]}]}' % key,
        b'{"attributes":{"%b":{"y":{"z":1}}}}' % key,
    )


def test_more_keys_than_the_tree_holds() -> None:
    native = open_native()
    for start in range(0, 70_000, 1000):
        members = {f"key {number}": number for number in range(start, start + 1000)}
        native.scan_lines(json.dumps(members).encode() + b'\n{"a":1}', 0, parse_template("x"))
    line = b'{"key 1":1,"key 69999":2,"unseen":3}'
    shred_both(native, make_batches(native, [line]), max_fields=20)
    later = {f"later {number}": {"x": number} for number in range(2500)}
    shred_both(native, make_batches(native, [line, json.dumps(later).encode()]))


def test_keys_of_many_bytes_are_forgotten_in_time() -> None:
    native = open_native()
    keys = [b"%d" % number + b"x" * 1_000_000 for number in range(40)]
    for key in keys:
        native.scan_lines(b'{"%b":1}\n{"a":{"%b":2}}' % (key, key), 0, parse_template("x"))
    shred_both(native, make_batches(native, [b'{"%b":[{"a":1}]}\n{"a":2}' % keys[-1]]))


def test_many_blocks_with_one_shredder() -> None:
    chance = Random(5)
    native = open_native()
    line = (
        b'{"ts":1700000000,"msg":"hello","a":{"b":[1,2],"c":"x"},"attributes":{"d":1.5},"e":null}'
    )
    for _ in range(60):
        data = b"\n".join(mutate(line, chance) for _ in range(40))
        shred_both(native, make_batches(native, [data], chance.choice(TEMPLATES)))


def test_fields_of_every_type_in_one_block() -> None:
    values = ['"x"', "1", "1.5", "true", '["x"]', "[1]", "[1.5]", "[true]", "[1,1.5]", '[1,"x"]']
    chance = Random(6)
    several = [f'{{"a":{value},"b":{chance.choice(values)}}}'.encode() for value in values * 20]
    chance.shuffle(several)
    check_lines(*several)


def test_many_values_become_filters() -> None:
    chance = Random(7)
    several = [
        json.dumps(
            {
                "text": chance.choice(["Ünï", "plain"]) + str(number),
                "number": number % 300 * 1000,
                "dense": number % 300,
                "float": number / 8 - 9,
                "few": number % 256,
                "zero": chance.choice([0.0, -0.0]),
                "long": "x" * 500 + str(number % 140),
                "list": [str(number), "Same"],
                "flag": number % 2 == 0,
                "message": str(number),
            },
            ensure_ascii=False,
        ).encode()
        for number in range(600)
    ]
    native = open_native()
    summaries = shred_both(native, make_batches(native, [b"\n".join(several)])).summaries
    assert {name for name, summary in summaries.items() if summary.bloom} == {
        *("text", "number:int", "long", "list:str[]"),
    }
    assert {name for name, summary in summaries.items() if summary.trigrams} == {
        *("text", "long", "list:str[]", "message"),
    }


def test_some_rows_of_some_batches() -> None:
    native = open_native()
    data = b'{"a":1}\nnot json\n\n{"b":"x"}\r\n{"c":[true]}'
    batches = make_batches(native, [data, b"", b"\n \n", data], "{{b}}", "the default")
    places = list(list_places(batches))
    assert len(places) == 8
    for order in ([], places[:1], places[::-1], places[1::3], [places[3]] * 3):
        shred_both(native, batches, order)


@pytest.mark.parametrize("line", [b"not json", b'{"a":1}'])
def test_blocks_end_where_they_would_be_too_wide(line: bytes) -> None:
    native = open_native()
    wide = [
        json.dumps({f"k{number}": 1 for number in range(start, start + 2000)}).encode()
        for start in range(0, 4000, 2000)
    ]
    batches = make_batches(native, [b"\n".join([*wide, *[line] * 4100])])
    frame = native.shred_rows(batches, list_places(batches), 20_000).frame
    columns = frame.width - 6
    assert (frame.height - 1) * columns < MAX_CELLS_PER_BLOCK <= frame.height * columns


@pytest.mark.parametrize(
    "index", ["{{a.b}}", "x", "{{ts}}{{ts}}", "{{a}}{{a.b}}{{a.b.c}}", "{{log.body}}"]
)
def test_templates(index: str) -> None:
    several = [
        b'{"a":{"b":"nested"},"a.b":"literal"}',
        b'{"a.b":null,"a":{"b":"Nested!"}}',
        b'{"a.b":{"x":1},"a":{"b":[1]}}',
        b'{"a":"","a.b":1.50,"a":true,"a.b":2}',
        b'{"a":{"b":{"c":1},"b.c":2},"a.b":{"c":3},"a.b.c":null}',
        b'{"ts":1700000000,"log":{"body":"\\u00e9"}}',
        b'{"ts":"garbage","log.body":false}',
        b'{"attributes":{"a":{"b":1},"log":{"body":2}}}',
        b"not json",
        b'{"a":' + nest(20, "1").encode() + b',"a.b":"beside the deep"}',
    ]
    native = open_native()
    for data in (b"\n".join(several), b"\n".join(several[::-1])):
        scan_both(native, data, index)


def test_scans_of_nothing_are_empty() -> None:
    scan = scan_both(open_native(), b" \r\n\n\t", "{{a}}")
    assert scan.starts == array("q")
    assert (scan.index_names, scan.days, scan.errors) == ([], set(), 0)


def test_days_before_1970_are_whole_days() -> None:
    data = b"\n".join(b'{"ts":%d}' % second for second in (-86_401, -86_400, -1, 0, 86_399, 86_400))
    scan = open_native().scan_lines(data, 0, parse_template("x"))
    assert scan.days == {(0, -2), (0, -1), (0, 0), (0, 1)}


@given(
    st.lists(st.tuples(st.sampled_from([b'{"a":1}', b'{"ts":0}', b"x"]), st.integers(-1, 2))),
    st.sampled_from(["plain", "p-{{a}}"]),
)
@settings(deadline=None)
def test_routes_lead_to_the_same_indexes(several: list[tuple[bytes, int]], index: str) -> None:
    routes = Routes(["p-1", "b", "c"], array("i", [place for _, place in several]))
    scan_both(open_native(), b"\n".join(line for line, _ in several), index, routes)


@together(
    "line",
    [
        b'{"__REALTIME_TIMESTAMP":"1700000000123456","MESSAGE":"m","PRIORITY":"6"}',
        b'{"_SOURCE_REALTIME_TIMESTAMP":"1700000000123450","__REALTIME_TIMESTAMP":"1700000000123456"}',
        b'{"MESSAGE":[104,105,255],"__REALTIME_TIMESTAMP":"x"}',
        b'{"MESSAGE":[1,2],"MESSAGE":[104]}',
        b'{"MESSAGE":[256]}',
        b'{"MESSAGE":[104],"msg":"x"}',
        b'{"message":[104,105]}',
        b'{"timestamp":1700000000,"a":1,"timestamp":"2024-01-01T00:00:00Z"}',
        b'{"timestamp":1700000000,"timestamp":1,"timestamp":2}',
        b'{"timestamp":null,"timestamp":1700000000}',
        b'{"timestamp":[1],"timestamp":1700000000}',
        b'{"timestamp":{"a":1},"timestamp":1700000000}',
        b'{"attributes":{"timestamp":5},"timestamp":1700000000}',
        b'{"timestamp":1700000000,"attributes":{"timestamp":5}}',
        b'{"timestamp":1700000000,"Timestamp":5,"timestamp":6}',
    ],
)
def test_times_of_the_journal_and_second_timestamps(line: bytes) -> None:
    check_lines(line)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.lists(st.integers(-3, 3)), max_size=7))
def test_rows_are_sorted_by_time_and_then_by_arrival(hours: list[list[int]]) -> None:
    native = open_native()
    pieces = [b"\n".join(b'{"ts":%d}' % (1_700_000_000 + h) for h in batch) for batch in hours]
    batches = make_batches(native, pieces)
    times, places = native.sort_rows(batches)
    assert (times, places) == sort_rows(batches)
    assert times.tolist() == sorted(time for batch in batches for time in batch.scan.times_ns)
    assert len(set(places)) == sum(map(len, hours))
