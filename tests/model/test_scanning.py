"""The first look at a body: its lines, their times and the indexes they ask for."""

from array import array

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.model import oracle
from tests.model.strategies import lines, tame_events
from tests.properties import examples
from tests.together import together

from logboom.base.clock import NS_PER_DAY
from logboom.model.batch import Routes
from logboom.model.names import parse_template
from logboom.model.scanning import scan_lines, split_lines

ARRIVAL_NS = 1_700_000_000_000_000_000
ARRIVAL_DAY = ARRIVAL_NS // NS_PER_DAY
TEMPLATES = ["Plain", "{{a}}-{{a.b}}", "{{log.body}}{{ k1 }}", "{{}}", "{{attributes.a.b.c}}{{ts}}"]


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b" ", b"\t", b"\x00", b"\x0b", b"\xa0", b"{}"]))
)
def test_lines_are_split_at_newlines_and_stripped(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    found = [data[start:end] for start, end in split_lines(data)]
    stripped = [line.strip(b" \t\r\n") for line in data.split(b"\n")]
    assert found == [line for line in stripped if line]


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(lines | tame_events.map(str.encode), max_size=3), st.sampled_from(TEMPLATES))
def test_scans_follow_the_rules(some: list[bytes], index: str) -> None:
    data = b"\r\n".join(some)
    kept = [line for line in (part.strip(b" \t\r\n") for part in data.split(b"\n")) if line]
    expected = [oracle.read_event(line) for line in kept]
    scan = scan_lines(data, ARRIVAL_NS, parse_template(index))
    assert [data[start:end] for start, end in zip(scan.starts, scan.ends, strict=True)] == kept
    assert scan.errors == sum(not event.parsed for event in expected)
    assert list(scan.times_ns) == [
        ARRIVAL_NS if event.time_ns is None else event.time_ns for event in expected
    ]
    assert [scan.index_names[number] for number in scan.index_ids] == [
        oracle.resolve_index(index, line) for line in kept
    ]
    assert scan.days == {
        (number, time_ns // NS_PER_DAY)
        for number, time_ns in zip(scan.index_ids, scan.times_ns, strict=True)
    }


@together(
    ("index", "line", "name"),
    [
        ("{{a.b}}", b'{"a":{"b":"x"}}', "x"),
        ("{{a.b}}", b'{"a":{"b":"x"},"a.b":"y"}', "y"),
        ("{{a.b}}", b'{"a":{"b":"x"},"a.b":null}', "x"),
        ("{{a.b}}", b'{"a":{"b":"x"},"a.b":{}}', "x"),
        ("{{a.b.c}}", b'{"a.b":{"c":"x"}}', "x"),
        ("{{a}}", b'{"a":null}', "unknown"),
        ("{{a}}", b'{"a":""}', "unknown"),
        ("{{a}}", b'{"a":[1]}', "unknown"),
        ("{{a}}", b'{"a":{"b":1}}', "unknown"),
        ("{{a}}", b"{}", "unknown"),
        ("{{a}}", b"no event", "unknown"),
        ("{{a}}", b'{"a":1.50}', "1-50"),
        ("{{a}}", b'{"a":true}', "true"),
        ("{{msg}}", b'{"msg":"Hello"}', "hello"),
        ("{{ts}}", b'{"ts":1700000000}', "1700000000"),
        ("{{attributes.a}}", b'{"attributes":{"a":"x"}}', "x"),
        ("{{a}}", b'{"attributes":{"a":"x"}}', "unknown"),
        ("App-{{ a }}!", b'{"a":"Some Service/\\u00e9"}', "app-some-service---"),
    ],
)
def test_templates_are_resolved_before_flattening(index: str, line: bytes, name: str) -> None:
    assert scan_lines(line, ARRIVAL_NS, parse_template(index)).index_names == [name]


def test_bodies_without_lines_have_empty_scans() -> None:
    scan = scan_lines(b"\n \r\n\t", ARRIVAL_NS, parse_template("x"))
    assert scan == (array("q"), array("q"), array("q"), array("i"), [], set(), 0, None)


def test_a_line_goes_where_its_route_says_else_where_the_template_says() -> None:
    data = b'{"a":"x"}\n\n{"a":"y","ts":0}\nno event\n{"a":"z"}'
    routes = Routes(["p-y", "other"], array("i", [1, -1, 0, -1]))
    scan = scan_lines(data, ARRIVAL_NS, parse_template("p-{{a}}"), routes)
    assert [scan.index_names[place] for place in scan.index_ids] == ["other", "p-y", "p-y", "p-z"]
    assert len(set(scan.index_names)) == len(scan.index_names)
    assert {(scan.index_names[index], day) for index, day in scan.days} == {
        ("other", ARRIVAL_DAY), ("p-y", 0), ("p-y", ARRIVAL_DAY), ("p-z", ARRIVAL_DAY),
    }  # fmt: skip


def test_routes_for_another_number_of_lines_are_a_fault() -> None:
    with pytest.raises(ValueError, match="2 routes for 1 lines"):
        scan_lines(b"{}", ARRIVAL_NS, parse_template("x"), Routes(["a"], array("i", [0, 0])))
