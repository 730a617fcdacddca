"""Events: mapped and flattened as the rules say, and given back as they came in."""

import json
from decimal import Context, Decimal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.model import oracle
from tests.model.strategies import lines, nest, plain_events, wild_events
from tests.properties import examples
from tests.together import together

from logboom.model import event
from logboom.model.columns import Kind
from logboom.model.event import Shredded, read_fields, shred_line
from logboom.model.shape import parse_shape, rebuild_row, rebuild_text

TYPES = {Kind.STR: str, Kind.INT: int, Kind.FLOAT: float, Kind.BOOL: bool}
EXACT = Context(prec=10_000)
SOURCES = st.sampled_from([None, "the default"])
THOROUGH = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def describe_cells(shredded: Shredded) -> dict[str, tuple[type, object]]:
    """Each field's element type and content; a field has one column only."""
    described: dict[str, tuple[type, object]] = {}
    for column, cell in shredded.cells.items():
        assert column.kind.is_list == isinstance(cell, list)
        assert column.field not in described
        described[column.field] = TYPES[Kind(column.kind.value.removesuffix("[]"))], cell
    return described


@settings(THOROUGH, max_examples=examples(300))
@given(lines, SOURCES)
def test_lines_are_mapped_and_flattened_by_the_rules(line: bytes, source: str | None) -> None:
    line = line.strip(b" \t\r\n")
    expected = oracle.read_event(line, source)
    shredded = shred_line(line, source)
    assert shredded.parsed == expected.parsed
    assert shredded.time_ns == expected.time_ns
    assert repr(describe_cells(shredded)) == repr(oracle.list_cells(expected))
    assert repr(read_fields(line, source)) == repr(oracle.list_fields(expected))
    if shredded.shape is not None and source is None:
        row = rebuild_row(parse_shape(shredded.shape), shredded.cells.get)
        assert repr(row) == repr(read_fields(line))


def parse(text: str) -> object:
    """All that a text says, except how its fractions are spelled."""
    return json.loads(
        text,
        object_pairs_hook=lambda pairs: ("object", pairs),
        parse_float=lambda number: EXACT.normalize(Decimal(number)),
    )


def rebuild(line: bytes) -> str:
    """The event as a search would give it back, from its columns or from its kept text."""
    shredded = shred_line(line, "the default")
    if shredded.shape is None:
        return line.decode()
    return rebuild_text(parse_shape(shredded.shape), shredded.cells.get, shredded.time_ns or 0)


@settings(THOROUGH, max_examples=examples(250))
@given(wild_events)
@example('{"\\ud800":null}')
@example('{"\\ud800":{"a":[]}}')
@example(nest(17, '"\\ud800"'))
@example('{"a":1700000000.123456789}')
@example('{"attributes":{"x":1},"attributes":5}')
@example('{"a":{"b":{}},"a":{"b":{}}}')
def test_every_event_comes_back_equal_and_in_order(text: str) -> None:
    assert repr(parse(rebuild(text.encode()))) == repr(parse(text))


@settings(THOROUGH, max_examples=examples(200))
@given(plain_events)
def test_compact_events_come_back_byte_for_byte(text: str) -> None:
    assert rebuild(text.encode()) == text


@together(
    ("text", "row"),
    [
        ('{"a":{"b":{"c":1}},"d.e":2}', {"a.b.c": 1, "d.e": 2}),
        ('{"a.b":1,"a":{"b":2}}', {"a.b": [1, 2]}),
        ('{"Status":1,"status":"x"}', {"Status": [1, "x"]}),
        ('{"a":1,"a":2}', {"a": [1, 2]}),
        ('{"a":null,"b":{},"c":[],"d":[null,[]],"e":""}', {"e": ""}),
        ('{"":{"":1}}', {".": 1}),
        ('{"a":[1]}', {"a": [1]}),
        ('{"a":[[1,[2]],3]}', {"a": [1, 2, 3]}),
        ('{"a":[1,"x",2.5,true,null]}', {"a": [1, "x", 2.5, True]}),
        ('{"a":[{"b":1},{"b":2,"c":3},4]}', {"a.b": [1, 2], "a.c": [3], "a": [4]}),
        ('{"a":1180591620717411303424}', {"a": 2**70}),
        ('{"a":1e400}', {"a": "1e400"}),
        ('{"a":"\\ud800"}', {"a": "\ufffd"}),
        ("[1]", {"message": "[1]"}),
        ("", {"message": ""}),
        ('{"a":NaN}', {"message": '{"a":NaN}'}),
    ],
)
def test_flattening(text: str, row: dict[str, object]) -> None:
    assert read_fields(text.encode()) == row


@pytest.mark.parametrize("wrapped", [False, True])
def test_paths_of_sixteen_keys_are_fields_and_what_lies_deeper_is_text(wrapped: bool) -> None:
    name = ".".join("k" * 16)
    outer, inner = ('{"attributes":', "}") if wrapped else ("", "")

    def read(depth: int, value: str) -> dict[str, object]:
        return read_fields(f"{outer}{nest(depth, value)}{inner}".encode())

    assert read(16, "1") == {name: 1}
    assert read(16, "[1,2]") == {name: [1, 2]}
    assert read(17, "1.50") == {name: '{"k":1.50}'}
    assert read(18, '"é\\n"') == {name: '{"k":{"k":"é\\n"}}'}
    assert read(16, '["a",{"b":[1]},[2]]') == {name: ["a", '{"b":[1]}', 2]}


def test_names_do_not_outgrow_their_event() -> None:
    key = "x" * 2_000_000
    members = {f"k{number}": number for number in range(50_000)}
    inner = json.dumps(members, separators=(",", ":"))
    assert read_fields(f'{{"{key}":{inner}}}'.encode()) == {key: inner}
    assert read_fields(f'{{"{key}":[{inner},{inner}]}}'.encode()) == {key: [inner, inner]}
    many = f'{{"{key}":[{",".join(["[1]"] * 900)}]}}'
    assert read_fields(many.encode()) == {key: [1] * 900}


def test_an_event_has_so_many_fields_and_the_rest_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event, "MAX_FIELDS_PER_EVENT", 3)
    text = '{"a":1,"b":2,"c":[3],"d":4,"a":5,"e":6}'
    assert read_fields(text.encode()) == {"a": [1, 5], "b": 2, "c": [3]}
    assert rebuild(text.encode()) == text


@pytest.mark.parametrize("count", [1000, 1001, 2500])
def test_a_thousand_elements_are_shredded_and_all_come_back(count: int) -> None:
    text = json.dumps({"a": list(range(count)), "b": 1}, separators=(",", ":"))
    assert read_fields(text.encode()) == {"a": list(range(1000)), "b": 1}
    assert rebuild(text.encode()) == text


def test_the_limit_holds_for_every_array_by_itself() -> None:
    text = json.dumps({"a": [[0] * 1500, [1] * 1500]})
    assert read_fields(text.encode()) == {"a": [0] * 1000 + [1] * 1000}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"plain text", "plain text"),
        (b'{"cut', '{"cut'),
        (b"\xff\x00 \xc3\xa9", "\\xff\x00 é"),
        (b'{"a":"\xff"}', '{"a":"\\xff"}'),
    ],
)
def test_what_is_no_event_becomes_a_message(line: bytes, message: str) -> None:
    shredded = shred_line(line)
    assert not shredded.parsed
    assert read_fields(line) == {"message": message}
    assert shredded.shape is not None
    assert rebuild_text(parse_shape(shredded.shape), shredded.cells.get, 0) == message
