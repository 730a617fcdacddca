"""The compiled reader of log records: what it reads is what the definition reads, else it leaves it alone."""

import math
import shutil
from importlib import import_module
from random import Random

import msgspec
import pytest
from hypothesis import given
from tests.protocols.test_otlp_records import Plain, build_record, mutate, quick, records

from logboom.base.errors import Invalid
from logboom.protocols.otlp.from_protobuf import read_compiled, read_record
from logboom.protocols.otlp.record import OtlpRecord


def test_it_is_there_where_it_can_be_built() -> None:
    if not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("no C compiler")
    assert hasattr(import_module("logboom.protocols._wire"), "read_log_record")


def read_defined(data: bytes) -> OtlpRecord | None:
    try:
        return read_record(data)
    except Invalid:
        return None


def same(one: object, other: object) -> bool:
    """Equal in value and kind, minus zero apart from zero."""
    if isinstance(one, OtlpRecord) and isinstance(other, OtlpRecord):
        return same(msgspec.structs.astuple(one), msgspec.structs.astuple(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return type(one) is type(other) and one == other


@quick
@given(records)
def test_a_record_is_read_as_the_definition_reads_it(plain: Plain) -> None:
    data = bytes(build_record(plain).SerializeToString())
    compiled = read_compiled(b"before" + data + b"after", 6, 6 + len(data))
    assert compiled is not None
    assert same(compiled, read_defined(data))


@quick
@given(records)
def test_a_damaged_record_is_read_as_the_definition_reads_it_or_left_alone(plain: Plain) -> None:
    chance = Random(repr(plain))
    data = bytes(build_record(plain).SerializeToString())
    for _ in range(50):
        damaged = mutate(data, chance)
        compiled = read_compiled(damaged, 0, len(damaged))
        assert compiled is None or same(compiled, read_defined(damaged))


@pytest.mark.parametrize("span", [(-1, 2), (0, 4), (2, 1), (3, 9)])
def test_a_span_outside_of_the_body_is_left_alone(span: tuple[int, int]) -> None:
    assert read_compiled(b"\x09\x00\x00", *span) is None
