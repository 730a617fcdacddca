"""What stands in for a missing message."""

from tests.together import together

from logboom.model.event_text import find_stand_in, read_text


@together(
    ("event", "name"),
    [
        ({"log": "started\n", "stream": "stdout"}, "log"),
        ({"line": "started"}, "line"),
        ({"short_message": "started", "full_message": "more"}, "short_message"),
        ({"text": "started"}, "text"),
        ({"text": "d", "short_message": "c", "line": "b", "log": "a"}, "log"),
        ({"Log": "started"}, "Log"),
        ({"log": "\r\n", "line": "", "text": "started"}, "text"),
        ({"log": 5, "line": ["a"], "text": None}, None),
        ({"log": "a", "message": "b"}, None),
        ({"log": "a", "message": ""}, None),
        ({"log": "a", "message": None}, "log"),
        ({"log.level": "info", "": "a"}, None),
        ({}, None),
    ],
)
def test_the_first_that_has_a_text(event: dict[str, object], name: str | None) -> None:
    assert find_stand_in(event) == name


def test_the_end_of_the_line_is_not_shown() -> None:
    assert read_text("a\nb \r\n") == "a\nb "
    assert read_text(5) == ""
