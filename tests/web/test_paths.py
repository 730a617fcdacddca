"""Paths: what could be read in two ways is refused, everything else passes."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.base.errors import Invalid
from logboom.web.paths import MAX_PATH_BYTES, check_path

PLAIN = [
    b"/",
    b"/api/search",
    b"/api/search/",
    b"/api/fields/http.status/values",
    b"/.hidden/..a/a..b",
    b"/_bulk",
    b"/api/lookups/%C3%A9%20%3B%25",
    b"/" + b"x" * (MAX_PATH_BYTES - 1),
]
AMBIGUOUS = [
    *(b"//", b"//evil", b"/api//search", b"/api/search//"),
    *(b"/./api", b"/../api", b"/api/.", b"/api/..", b"/api/../search", b"/api/search."),
    *(b"/api%2fsearch", b"/api%2Fsearch", b"/%2e%2e/api", b"/%2E./api", b"/api%5c..", b"/a%00"),
    *(b"/api;x=1/search", b"/api/search;", b"/api\\search", b"/a b", b"/a\x00", b"/a\x7f"),
    *(b"/%", b"/%2", b"/%zz", b"/%u002f", b"/\xc3\xa9"),
    *(b"/%ff", b"/%c0%ae", b"/%ed%a0%80", b"/%c3"),
    b"/" + b"x" * MAX_PATH_BYTES,
]


@together("path", PLAIN)
def test_a_plain_path_passes(path: bytes) -> None:
    check_path(path)


@together("path", AMBIGUOUS)
def test_an_ambiguous_path_is_refused(path: bytes) -> None:
    with pytest.raises(Invalid):
        check_path(path)


@given(st.text(st.characters(exclude_characters="/\\\x00", codec="utf-8"), min_size=1, max_size=20))
def test_any_name_that_is_encoded_passes_unless_it_ends_in_a_dot(name: str) -> None:
    path = f"/api/lookups/{quote(name, safe='')}".encode()
    if name.endswith("."):
        with pytest.raises(Invalid):
            check_path(path)
    else:
        check_path(path)
