"""Kinds that only `auto` reads, where samples do not show it; `samples/auto` has one of each."""

import pytest
from tests.formats.feeding import read, read_events

from logboom.formats.auto.kinds.windows_xml import MAX_CHARACTERS, NAMESPACE
from logboom.formats.reader import Options

NOW = Options(now_ns=1_763_294_400_000_000_000)


def write_event(inner: str) -> str:
    return f"<Event xmlns='{NAMESPACE}'><System>{inner}</System></Event>"


def test_windows_events_may_all_be_on_one_line() -> None:
    events = "".join(write_event(f"<EventID>{number}</EventID>") for number in range(1_000))
    text = f'<?xml version="1.0"?><Events>{events}between</Events><Eventually/>'
    found = read_events("auto", text, NOW)
    assert found[:1_000] == [{"event_id": number} for number in range(1_000)]
    assert found[1_000:] == [{"message": "between</Events><Eventually/>"}]


@pytest.mark.parametrize(
    "inner",
    [
        "<a>" * 100_000 + "</a>" * 100_000,
        "<!DOCTYPE x [<!ENTITY a 'b'>]>&a;",
        "&a;",
        "<EventID>1</EventID>" + "x" * MAX_CHARACTERS,
    ],
)
def test_xml_that_is_no_event_of_windows_is_a_message(inner: str) -> None:
    usual = write_event("<EventID>1</EventID>\n")
    found = read_events("auto", usual * 3 + "\n" + write_event(inner), NOW)
    assert found[:3] == [{"event_id": 1}] * 3
    assert found[3:] == [{"message": write_event(inner)}]


def test_events_that_never_end_are_read_in_one_pass() -> None:
    begin = f"<Event xmlns='{NAMESPACE}'>"
    for piece in ("<Event ", "</Event>", "<Events ", "<?xml ", begin):
        lines, _ = read("auto", [(begin + piece * 50_000).encode()], NOW)
        assert lines


def test_long_extensions_are_read_in_one_pass() -> None:
    [event] = read_events("auto", "LEEF:1.0|a|b|c|d|x=1" + "\ty" * 100_000, NOW)
    assert event["x"] == "1" + "\ty" * 100_000
