"""Columns: their names say field and type, and can be read back."""

from hypothesis import given
from hypothesis import strategies as st
from tests.together import together

from logboom.model.columns import DTYPES, Column, Kind, parse_column
from logboom.model.rows import CORE_SCHEMA

fields = st.text() | st.text("a\0\u240001:")
columns = st.builds(Column, fields, st.sampled_from(Kind))


@given(columns)
def test_names_are_read_back(column: Column) -> None:
    assert parse_column(column.name) == column


@given(columns)
def test_names_never_meet_those_of_the_service(column: Column) -> None:
    assert column.name not in CORE_SCHEMA
    assert "\0" not in column.name


@together(
    ("column", "name"),
    [
        (Column("a.b", Kind.STR), "a.b"),
        (Column("a.b", Kind.INT), "a.b:int"),
        (Column("a", Kind.STRS), "a:str[]"),
        (Column("a:int", Kind.STR), "a:int:str"),
        (Column("_time", Kind.STR), "_time:str"),
        (Column("", Kind.STR), ":str"),
        (Column("a\0", Kind.STR), "a\u24000"),
    ],
)
def test_names(column: Column, name: str) -> None:
    assert column.name == name


def test_every_kind_has_a_data_type_and_a_list() -> None:
    assert set(DTYPES) == set(Kind)
    assert {kind.listed for kind in Kind} == {kind for kind in Kind if kind.is_list}
