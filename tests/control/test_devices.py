"""Marks of devices: recognised for the user they were made for, and for nobody else."""

from logboom.control.access.signin.devices import Devices

DEVICES = Devices(bytes(32))


def test_a_mark_is_recognised_for_its_user_only() -> None:
    mark = DEVICES.issue("ann")
    device = DEVICES.recognise(mark, "ann")
    assert device
    assert mark.startswith(device)
    assert DEVICES.recognise(mark, "bob") == ""
    assert Devices(bytes(31) + b"x").recognise(mark, "ann") == ""
    assert DEVICES.recognise(DEVICES.issue("ann"), "ann") != device


def test_nothing_else_is_a_mark() -> None:
    mark = DEVICES.issue("ann")
    changed = mark[:-1] + ("0" if mark[-1] != "0" else "1")
    for text in (
        "",
        "x",
        ".",
        changed,
        mark + "0",
        mark.upper(),
        f" {mark}",
        mark.replace(".", ""),
    ):
        assert DEVICES.recognise(text, "ann") == ""
