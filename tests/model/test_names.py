"""Index names: normalised, and resolved from templates."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.base.errors import Invalid
from logboom.model.names import (
    IndexNames,
    check_open,
    is_reserved,
    normalise_glob,
    normalise_index,
    parse_template,
)


@given(st.text())
def test_names_have_few_letters_and_are_short(name: str) -> None:
    normal = normalise_index(name)
    assert re.fullmatch("[a-z0-9_-]{0,64}", normal)
    assert normalise_index(normal) == normal


@pytest.mark.parametrize(
    ("name", "normal"),
    [("App-1_x", "app-1_x"), ("a b/c.d", "a-b-c-d"), ("é", "-"), ("x" * 65, "x" * 64), ("", "")],
)
def test_normalisation(name: str, normal: str) -> None:
    assert normalise_index(name) == normal


@together(
    ("text", "values", "name"),
    [
        ("app", (), "app"),
        ("app-{{service}}", ("Web",), "app-web"),
        ("{{ service }}-{{a.b}}", ("x", "y"), "x-y"),
        ("{{a}}", (None,), "unknown"),
        ("{{a}}", ("",), "unknown"),
        ("x-{{a}}", ("",), "x-unknown"),
        ("{{a}}{{b}}", ("a" * 40, "b" * 40), "a" * 40 + "b" * 24),
        ("{{a", (), "--a"),
        ("", (), "unknown"),
    ],
)
def test_templates(text: str, values: tuple[str | None, ...], name: str) -> None:
    template = parse_template(text)
    assert len(template.paths) == len(values)
    assert template.resolve(values) == name


def test_blanks_in_braces_do_not_count() -> None:
    assert parse_template("{{  a.b\t}}x{{c}}").paths == ("a.b", "c")


def test_a_template_has_a_greatest_length() -> None:
    with pytest.raises(Invalid, match="513 characters"):
        parse_template("x" * 513)


def test_index_names_are_numbered_once() -> None:
    names = IndexNames(parse_template("{{a}}"))
    assert [names.identify((value,)) for value in ("x", "Y", None, "X", "unknown", "y")] == [
        0,
        1,
        2,
        0,
        2,
        1,
    ]
    assert names.names == ["x", "y", "unknown"]


def test_names_of_the_service_are_refused() -> None:
    assert is_reserved("_self")
    with pytest.raises(Invalid, match="reserved"):
        check_open(parse_template("_Self"))
    check_open(parse_template("x_"))
    check_open(parse_template("_{{a}}"))


def test_a_glob_is_normalised_around_its_wildcards() -> None:
    assert normalise_glob(" App.Web-*?x ") == "app-web-*?x"
    assert normalise_glob("*") == "*"
    assert normalise_glob("") == ""
