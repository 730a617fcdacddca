from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logboom.base.errors import Corrupt
from logboom.base.pages import (
    GAP_PAGES,
    PAGE_BYTES,
    Pages,
    PageSummer,
    check_pages,
    join_pages,
    sum_pages,
)

DATA = bytes(range(251)) * 300
"""Four pages and a piece."""
PAGES = Pages("object", 0, len(DATA), sum_pages(DATA))


@given(st.lists(st.integers(0, len(DATA)), max_size=20))
def test_checksums_do_not_depend_on_how_a_file_is_written(cuts: list[int]) -> None:
    summer = PageSummer()
    for start, end in pairwise(sorted([0, *cuts, len(DATA)])):
        summer.add(DATA[start:end])
    assert summer.finish() == sum_pages(DATA)


def test_an_empty_file_has_no_pages() -> None:
    assert PageSummer().finish() == sum_pages(b"") == b""
    assert Pages("object", 0, 0, b"").list_pages([(0, 0)]) == []


@pytest.mark.parametrize(
    ("spans", "pages"),
    [
        ([(0, 1)], [0]),
        ([(PAGE_BYTES - 1, PAGE_BYTES)], [0]),
        ([(PAGE_BYTES - 1, PAGE_BYTES + 1)], [0, 1]),
        ([(len(DATA) - 1, len(DATA))], [4]),
        ([(len(DATA) - 1, 10**9)], [4]),
        ([(5 * PAGE_BYTES // 2, 3 * PAGE_BYTES), (0, 5)], [0, 2]),
        ([], []),
    ],
)
def test_spans_are_in_pages(spans: list[tuple[int, int]], pages: list[int]) -> None:
    assert PAGES.list_pages(spans) == pages


def test_pages_with_small_gaps_are_read_together() -> None:
    assert join_pages([]) == []
    assert join_pages([3]) == [(3, 4)]
    assert join_pages([0, 1, 1 + GAP_PAGES]) == [(0, 2 + GAP_PAGES)]
    assert join_pages([0, 2 + GAP_PAGES]) == [(0, 1), (2 + GAP_PAGES, 3 + GAP_PAGES)]


def test_whole_pages_pass() -> None:
    check_pages(PAGES, 0, 5, DATA)
    check_pages(PAGES, 4, 5, DATA[4 * PAGE_BYTES :])


@pytest.mark.parametrize("place", [0, PAGE_BYTES, len(DATA) - 1])
def test_a_flipped_bit_is_noticed_with_its_page(place: int) -> None:
    damaged = bytearray(DATA)
    damaged[place] ^= 1
    with pytest.raises(Corrupt, match=f"byte {place // PAGE_BYTES * PAGE_BYTES}:"):
        check_pages(PAGES, 0, 5, bytes(damaged))


def test_a_cut_is_noticed() -> None:
    with pytest.raises(Corrupt):
        check_pages(PAGES, 0, 5, DATA[:-1])
