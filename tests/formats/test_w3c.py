"""W3C extended logs: times, absent values, columns that change."""

from tests.formats.feeding import read, read_events


def test_columns_are_those_of_the_last_directive_also_across_chunks() -> None:
    chunks = [b"#Fields: a b\n1 2\n", b"3 4\n#Fields: b c\n", b"5 6\n"]
    assert read("w3c", chunks) == ([b'{"a":1,"b":2}', b'{"a":3,"b":4}', b'{"b":5,"c":6}'], 0)


def test_the_date_of_the_line_comes_before_that_of_the_log() -> None:
    text = "#Date: 2026-03-01 00:00:00\n#Fields: date time\n2026-03-02 10:00:00\n- 11:00:00\n"
    assert [event["timestamp"] for event in read_events("w3c", text)] == [
        "2026-03-02 10:00:00",
        "2026-03-01 11:00:00",
    ]


def test_a_time_without_a_date_stays_a_field() -> None:
    assert read_events("w3c", "#Fields: time x\n10:00:00 1\n") == [{"time": "10:00:00", "x": 1}]


def test_a_line_that_does_not_fit_the_columns_is_a_message() -> None:
    assert read("w3c", [b"#Fields: a b\n1\n"]) == ([b'{"message":"1"}'], 1)
