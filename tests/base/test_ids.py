"""Names for new things: in the order of their time, and never the same twice."""

from hypothesis import given, settings
from hypothesis import strategies as st

from logboom.base.ids import ALPHABET, derive_ulid, make_ulid

MS_NS = 1_000_000
Times = st.integers(0, (2**48 - 1) * MS_NS)


@given(Times)
@settings(deadline=None)
def test_a_name_is_26_plain_characters(time_ns: int) -> None:
    name = make_ulid(time_ns)
    assert len(name) == 26
    assert set(name) <= set(ALPHABET)


@given(Times, Times)
@settings(deadline=None)
def test_names_sort_by_time(first_ns: int, second_ns: int) -> None:
    if first_ns // MS_NS < second_ns // MS_NS:
        assert make_ulid(first_ns) < make_ulid(second_ns)


def test_names_of_the_same_time_differ() -> None:
    assert len({make_ulid(0) for _ in range(1000)}) == 1000


def test_the_last_time_that_fits_still_fits() -> None:
    assert make_ulid((2**48 - 1) * MS_NS).startswith("7zzzzzzzzz")


@given(st.text(), st.text())
def test_a_name_derived_from_a_text_is_that_of_no_other(text: str, other: str) -> None:
    name = derive_ulid(text)
    assert len(name) == 26
    assert set(name) <= set(ALPHABET)
    assert (name == derive_ulid(other)) is (text == other)
