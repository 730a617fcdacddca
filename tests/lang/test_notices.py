"""Notices: where a text could be read in two ways, the writer hears which one it was."""

import pytest
from tests.together import together

from logboom.lang.ast import And, Word
from logboom.lang.format import format_query
from logboom.lang.notices import Notice
from logboom.lang.parse import parse, read

LINE = "2026-01-09 WARN pool exhausted while waiting for a connection "


def list_codes(text: str) -> list[str]:
    return [notice.code for notice in read(text).notices]


def find(text: str, code: str) -> dict[str, str]:
    (found,) = [notice for notice in read(text).notices if notice.code == code]
    return found.to_dict()


@together(
    ("text", "read_as", "alt"),
    [
        ("a OR b c", "a OR (b AND c)", "(a OR b) c"),
        ("a b OR c d", "(a AND b) OR (c AND d)", "a (b OR c) d"),
        ("a OR b OR c d", "a OR b OR (c AND d)", "(a OR b OR c) d"),
        ("a AND b OR c", "(a AND b) OR c", "a (b OR c)"),
        ("a OR b NOT c", "a OR (b AND NOT c)", "(a OR b) NOT c"),
        ("x (a OR b c) ", "x (a OR (b AND c)) ", "x ((a OR b) c) "),
        ("a OR b c | limit 5", "a OR (b AND c) | limit 5", "(a OR b) c | limit 5"),
        ("f:x or g:y h:z", "f:x OR (g:y AND h:z)", "(f:x OR g:y) h:z"),
    ],
)
def test_and_beside_or_shows_both_readings(text: str, read_as: str, alt: str) -> None:
    notice = find(text, "mixed_and_or")
    assert (notice["read_as"], notice["alt"]) == (read_as, alt)
    assert parse(read_as) == parse(text)
    assert parse(alt) != parse(text)


@together("text", ["a OR (b c)", "(a b) OR c", "a OR b", "a b c", "(a OR b) c", "f:(a OR b) c"])
def test_parentheses_settle_it(text: str) -> None:
    assert list_codes(text) == []


def test_lower_case_operators_among_words_are_words() -> None:
    notice = find("connection not found", "words_not_operators")
    assert notice["alt"] == "connection NOT found"
    assert '"not"' in notice["message"]
    assert list_codes("level:error and not timeout") == []
    assert list_codes('connection "not" found') == []


def test_an_alternative_that_is_no_query_is_left_out() -> None:
    assert "alt" not in find("this or", "words_not_operators")


@together(
    ("text", "read_as", "alt"),
    [
        ("level: warn", "level:warn", '"level:" warn'),
        ("Status: 500", "Status:500", '"Status:" 500'),
        ("error.code: 500 | limit 5", "error.code:500 | limit 5", '"error.code:" 500 | limit 5'),
        ("host: web* AND status: 500", "host:web* status:500", '"host:" web* AND status: 500'),
        ('name: "a b" level: warn', 'name:"a b" level:warn', '"name:" "a b" level: warn'),
        ("user : root", "user:root", '"user :" root'),
        ("(user : root) x", "user:root x", '("user :" root) x'),
    ],
)
def test_a_colon_before_a_blank_tests_a_field_where_only_values_follow(
    text: str, read_as: str, alt: str
) -> None:
    assert format_query(parse(text)) == read_as
    assert find(text, "read_as_meant")["alt"] == alt


@together(
    "text",
    [
        "Error: disk",
        "error: timeout",
        "panic: runtime error: index out of range",
        "java.io.IOException: Broken pipe",
        "systemd: nginx.service: Failed with result",
        "level: warn timeout",
        "free: 10 used: 20 of 30",
        "a user= b",
    ],
)
def test_a_colon_before_a_blank_in_a_pasted_line_is_text(text: str) -> None:
    query = read(text).query
    assert isinstance(query.filter, And)
    assert all(isinstance(term, Word) for term in query.filter.terms)
    assert list_codes(text)[0] == "colon_as_text"


def test_slashes_say_how_they_were_read() -> None:
    assert list_codes("path:/api/v1/") == ["slashes_as_text"]
    assert list_codes("cp /tmp/ x") == ["slashes_as_text"]
    assert find("x path:/ap+/", "slashes_as_regex")["alt"] == 'x path:"/ap+/"'
    assert list_codes("path:/api/v1") == []
    assert list_codes('path:"/api/" path=~"/a+/"') == []


@pytest.mark.parametrize("text", [LINE * 4, "one line\nand another line\n", LINE * 4 + "took=5ms"])
def test_a_long_paste_is_offered_as_a_phrase(text: str) -> None:
    alternative = find(text, "long_paste")["alt"]
    assert parse(alternative).filter == Word(text.strip())


@pytest.mark.parametrize(
    "text",
    [LINE, f'"{LINE * 4}"', LINE * 4 + "| limit 5", "a OR b\nOR c", "level:error\nservice:api"],
)
def test_a_query_is_no_long_paste(text: str) -> None:
    assert "long_paste" not in list_codes(text)


def test_one_notice_of_a_kind_is_enough() -> None:
    assert list_codes("Error: a Warning: b and c or d") == ["colon_as_text", "words_not_operators"]


def test_a_reading_given_up_leaves_no_notice() -> None:
    assert list_codes("f:in(/a+/ b)") == ["slashes_as_regex"]
    assert list_codes("a and Error: x") == ["words_not_operators", "colon_as_text"]


def test_a_notice_is_an_object_in_an_answer() -> None:
    notice = Notice("long_paste", "text", {"alt": "x"})
    assert notice.to_dict() == {"code": "long_paste", "message": "text", "alt": "x"}


def test_blanks_that_nobody_sees_are_blanks() -> None:
    for blank in ("\u00a0", "\u200b", "\ufeff", "\u2009"):
        assert parse(f"{blank}level:error{blank}timeout") == parse("level:error timeout")
        assert parse(f"* | stats count{blank}by host") == parse("* | stats count by host")
    assert parse('"a\u200bb"').filter == Word("a\u200bb")


def test_only_a_comparison_of_names_in_a_splunk_query_may_mean_two_fields() -> None:
    for query in (
        "index=a | where NOT [search index=b | fields ip]",
        "index=a | where x=true",
        'index=a | where x="y"',
        "level:error | where x=y",
    ):
        assert [notice.code for notice in read(query).notices] == []
    (notice,) = read("index=a | where x=y").notices
    assert notice.data["alt"] == "index=a | where eval(x == y)"
