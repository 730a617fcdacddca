"""Shapes: where each value of an event went, and the way back."""

from tests.together import together

from logboom.model.columns import MESSAGE, SOURCE, Column, Kind
from logboom.model.event import shred_line
from logboom.model.shape import TIME, parse_shape, rebuild_row, rebuild_text


@together(
    ("text", "shape"),
    [
        ("{}", "{}"),
        ('{"a":"x","b":1,"c":1.5,"d":true,"e":null}', '{"a":s,"b":i,"c":f,"d":b,"e":n}'),
        ('{"a":["x"],"b":[1],"c":[1.5],"d":[true],"e":[]}', '{"a":S,"b":I,"c":F,"d":B,"e":[]}'),
        ('{"msg":"x","_source":"y"}', '{"msg":m,"_source":o}'),
        ('{"msg":1,"_source":true}', '{"msg":w,"_source":p}'),
        ('{"ts":1700000000}', '{"ts":t(es0)}'),
        ('{"ts":"2024-02-29 12:00:00,123"}', '{"ts":t(i ,3)}'),
        ('{"ts":"2024-02-29T12:00:00+05:30"}', '{"ts":t(iT.0+05:30)}'),
        ('{"ts":"29/Feb/2024:12:00:00 +0200"}', '{"ts":t(c+0200)}'),
        ('{"ts":"nonsense"}', '{"ts":s}'),
        ('{"a":{"b":{}},"attributes":{"c":{"d":1}}}', '{"a":{"b":{}},"attributes":{"c":{"d":i}}}'),
        ('{"a\\"\\n":1}', '{"a\\"\\n":i}'),
        ("not json", "w"),
    ],
)
def test_a_shape_says_where_values_went(text: str, shape: str) -> None:
    shredded = shred_line(text.encode())
    assert shredded.shape == shape
    parsed = parse_shape(shape)
    assert rebuild_text(parsed, shredded.cells.get, shredded.time_ns or 0) == text


@together(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a":1,"A":2}',
        '{"a":[1,"x"]}',
        '{"a":[1,null]}',
        '{"a":[[1]]}',
        '{"a":[{}]}',
        '{"a":1,"attributes":{"a":2}}',
        '{"a":9223372036854775808}',
        '{"a":0.1234567890123456789}',
        '{"a":"\\ud800"}',
        '{"\\ud800":1}',
        '{"ts":"2016-12-31T23:59:60Z"}',
        '{"ts":1e9}',
        '{"message":["x"],"msg":"y"}',
    ],
)
def test_what_columns_cannot_give_back_has_no_shape(text: str) -> None:
    assert shred_line(text.encode()).shape is None


def test_leaves_name_their_columns() -> None:
    shape = parse_shape(
        '{"A":{"b.C":i},"Attributes":{"D":s,"Resource":{"e":F}},"msg":m,"x":o,"ts":t(es0)}'
    )
    assert [(leaf.column, leaf.name) for leaf in shape.leaves] == [
        (Column("a.b.c", Kind.INT), "A.b.C"),
        (Column("d", Kind.STR), "D"),
        (Column("resource.e", Kind.FLOATS), "Resource.e"),
        (MESSAGE, "message"),
        (SOURCE, "source"),
        (TIME, "_time"),
    ]


def test_rows_leave_the_time_out() -> None:
    shredded = shred_line(
        b'{"ts":1700000000,"attributes":{"A":[1,2]},"b":{"C":null,"d":"x"},"@m":2}'
    )
    assert shredded.shape is not None
    row = rebuild_row(parse_shape(shredded.shape), shredded.cells.get)
    assert row == {"A": [1, 2], "b.d": "x", "message": "2"}
