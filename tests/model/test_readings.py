"""What scanning keeps of each line: blocks are the same with it, without it, and with only a part of it."""

from itertools import product
from typing import cast

import pytest
from tests.model.readings import drop_readings
from tests.model.twins import ARRIVAL_NS, make_batches, open_native, shred_both

from logboom.model.batch import Batch, Lines, Readings, Target
from logboom.model.names import IndexTemplate, parse_template

LINE = b'{"timestamp":"2024-05-01T10:00:00Z","message":"caf\\u00e9","status":200,"tags":["a","b"]}'
MANY_FORMS = [
    b"{%b}" % b",".join(b'"f%d":%b' % (at, value) for at, value in enumerate(values))
    for values in product((b"1", b'"x"'), repeat=13)
]
"""More lines of different forms than a shredder remembers."""
LONG_FORMS = [b'{"%d%b":1}' % (number, b"x" * 100_000) for number in range(45)]
"""Lines whose forms take more memory than a shredder spends on forms."""


def find_readings(batch: Batch) -> Readings:
    return cast(Readings, batch.scan.readings)


def test_readings_are_counted_as_memory() -> None:
    (batch,) = make_batches(open_native(), [b"\n".join([LINE] * 100)])
    size = find_readings(batch).size_bytes
    # A form, a first word, and the words of a text, a number and a list of two; the time is kept anyway.
    assert size == 100 * (4 + 4 + (1 + 1 + 3) * 8)
    assert batch.size_bytes == drop_readings(batch).size_bytes + size


@pytest.mark.parametrize("lines", [[], [b"{}"], [b"not json"], [b'{"a":null}'], [b"not json"] * 9])
def test_lines_without_values_need_next_to_nothing(lines: list[bytes]) -> None:
    native = open_native()
    (batch,) = batches = make_batches(native, [b"\n".join(lines)])
    assert find_readings(batch).size_bytes <= 3 + 8 * len(lines)
    shred_both(native, batches)


def test_values_do_not_take_more_memory_than_their_text() -> None:
    native = open_native()
    short = b'{"a":[%b],"b":"x"}' % b",".join([b"1"] * 50)
    (batch,) = batches = make_batches(native, [b"\n".join([short] * 20)])
    assert find_readings(batch).size_bytes <= len(batch.data) + 8 * len(batch)
    shred_both(native, batches)


def test_another_shredder_can_use_them() -> None:
    other = open_native()
    shred_both(other, make_batches(other, [b'{"x":1,"status":"text"}']))
    shred_both(other, make_batches(open_native(), [LINE, b'{"status":5}\n' + LINE]))


def test_batches_of_several_shredders_share_a_block() -> None:
    several = [b'{"a":1,"b":[2.5]}', b'{"b":[2.5],"a":1}\n{"a":1,"b":[2.5,"x"]}', LINE]
    batches = [make_batches(open_native(), [data])[0] for data in several * 2]
    shred_both(open_native(), batches)


def test_more_forms_than_are_remembered() -> None:
    native = open_native()
    batches = make_batches(native, [b"\n".join([*MANY_FORMS, *MANY_FORMS[::-500]]), LINE])
    shred_both(native, batches)


def test_forms_are_learned_anew_when_most_of_them_may_be_of_the_past() -> None:
    native = open_native()
    (old,) = make_batches(native, [b"\n".join([*LONG_FORMS, LINE])])
    data = b'{"a":1}\n' * 250_000
    (unknown,) = make_batches(native, [LINE])
    for _ in range(5):
        native.scan_lines(data, ARRIVAL_NS, parse_template("x"), None)
    (known,) = make_batches(native, [LINE])
    assert find_readings(unknown).size_bytes < find_readings(known).size_bytes
    shred_both(native, [old, unknown, known])


def test_lines_whose_forms_were_forgotten_are_parsed_again() -> None:
    native = open_native()
    (batch,) = make_batches(native, [b"\n".join([LINE, b'{"a":{"b":1.5}}', b"not json"])])
    with pytest.raises(AttributeError):
        native.scan_lines(LINE, 0, cast(IndexTemplate, None), None)
    shred_both(native, [batch])
    shred_both(open_native(), [batch, *make_batches(native, [LINE])])


@pytest.mark.parametrize("max_fields", [1, 3, 4, 5])
def test_forms_of_more_fields_than_fit(max_fields: int) -> None:
    native = open_native()
    several = [b'{"a":1}', b'{"a":2,"b":3,"c":4}', LINE, b'{"b":1}', b'{"c":1}', LINE, b'{"d":1}']
    shred_both(native, make_batches(native, several * 2), max_fields=max_fields)


def test_the_sources_of_lines_that_name_none() -> None:
    native = open_native()
    several = [b'{"source":"own"}', b'{"a":1}', b'{"source":5}', b'{"source":null}', b"text"]
    for source in ("file.log", "", None):
        shred_both(native, make_batches(native, [b"\n".join(several * 2)], source=source))


def test_split_batches_keep_the_readings_of_their_lines() -> None:
    native = open_native()
    pieces = [Lines(LINE + b'\n{"a":1}').come_from("one"), Lines(b'x\n{"b":[1]}').come_from("two")]
    lines = Lines.join([*pieces, Lines(LINE).come_from("three")])
    scan = native.scan_lines(lines.data, ARRIVAL_NS, parse_template("default"), None)
    batches = Batch(Target(), ARRIVAL_NS, lines.data, scan, 100, origins=lines.origins).split()
    assert [len(batch) for batch in batches] == [2, 2, 1]
    frame = shred_both(native, batches).frame
    assert frame["source"].to_list() == ["one", "one", "two", "two", "three"]
    shred_both(native, batches, [2 << 32, 1 << 32 | 1, 1])
