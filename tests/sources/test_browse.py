"""What sources may read and browsing shows: what is below the roots, never the service's own, whatever the links."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from logboom.base.errors import Forbidden, Invalid, NotFound
from logboom.sources.browse import MOST_ENTRIES, Browser
from logboom.sources.roots import Roots

LOGS_MTIME_NS = 1_700_000_000_123_456_789


class Machine:
    """Logs below the only root, the service's data below it too, a secret of the service beside both."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.logs = top / "logs"
        self.data = self.logs / "service"
        self.secret = self.logs / "key"
        self.outside = top / "outside"
        for directory in (self.logs / "nginx", self.data / "wal", self.outside):
            directory.mkdir(parents=True)
        for file in (self.logs / "app.log", self.data / "wal" / "1", self.outside / "shadow"):
            file.write_bytes(b"line\n")
        self.secret.write_bytes(b"secret")
        os.utime(self.logs / "app.log", ns=(0, LOGS_MTIME_NS))
        self.roots = Roots((self.logs,), lambda: (self.data, self.secret))
        self.browser = Browser(self.roots)

    def read(self, path: Path) -> bytes:
        with self.roots.open_file(str(path)) as file:
            return file.read()

    def list_names(self, path: Path) -> list[str]:
        return [entry.name for entry in self.browser.list(str(path)).entries]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_directory_is_shown_sorted_directories_first(machine: Machine) -> None:
    (machine.logs / "Zeta").mkdir()
    (machine.logs / "a.log").write_bytes(b"")
    listing = machine.browser.list(str(machine.logs))
    assert listing.path == str(machine.logs)
    assert machine.browser.list(f"//{machine.logs}/nginx/..//") == listing
    assert listing.complete
    assert [(each.name, each.type, each.size_bytes) for each in listing.entries] == [
        ("Zeta", "dir", None),
        ("nginx", "dir", None),
        ("a.log", "file", 0),
        ("app.log", "file", 5),
    ]
    assert listing.entries[-1].mtime_ns == LOGS_MTIME_NS


def test_files_below_the_roots_are_read(machine: Machine) -> None:
    assert machine.read(machine.logs / "app.log") == b"line\n"
    (machine.logs / "current").symlink_to("app.log")
    assert machine.read(machine.logs / "current") == b"line\n"
    (machine.top / "way").symlink_to(machine.logs)
    assert machine.read(machine.top / "way" / "app.log") == b"line\n"


def list_ways_out(machine: Machine) -> Iterator[Path]:
    """Paths to what must not be read, some through links that lie below the root."""
    yield machine.outside / "shadow"
    yield machine.logs / ".." / "outside" / "shadow"
    yield machine.data / "wal" / "1"
    yield machine.secret
    yield Path("/proc/self/environ")
    yield Path("/dev/zero")
    yield Path("/sys/kernel/uevent_seqnum")
    (machine.logs / "out").symlink_to(machine.outside)
    yield machine.logs / "out" / "shadow"
    (machine.logs / "file").symlink_to(machine.outside / "shadow")
    yield machine.logs / "file"
    (machine.logs / "twice").symlink_to("file")
    yield machine.logs / "twice"
    (machine.logs / "own").symlink_to("service")
    yield machine.logs / "own" / "wal" / "1"
    (machine.logs / "environ").symlink_to("/proc/self/environ")
    yield machine.logs / "environ"
    os.link(machine.secret, machine.logs / "hard")
    yield machine.logs / "hard"


def test_no_way_leads_out_of_the_roots_or_into_the_services_own(machine: Machine) -> None:
    for path in list_ways_out(machine):
        with pytest.raises(Forbidden):
            machine.read(path)
        with pytest.raises(Forbidden):
            machine.browser.list(str(path))
    assert machine.list_names(machine.logs) == ["nginx", "app.log"]


@pytest.mark.parametrize("allowed", [("/",), ("/proc", "/sys", "/dev", "/")])
def test_the_default_root_is_everything_but_the_services_own(
    machine: Machine, allowed: tuple[str, ...]
) -> None:
    machine.roots.allowed = tuple(map(Path, allowed))
    assert machine.read(machine.outside / "shadow") == b"line\n"
    for path in (machine.data / "wal" / "1", machine.secret, Path("/proc/self/environ")):
        with pytest.raises(Forbidden):
            machine.read(path)
    assert not {"proc", "sys", "dev"} & set(machine.list_names(Path("/")))


def test_a_root_may_be_a_link_and_need_not_exist_yet(machine: Machine) -> None:
    machine.roots.allowed = (machine.top / "later",)
    assert not machine.roots.admits(str(machine.outside / "shadow"))
    (machine.top / "later").symlink_to(machine.outside)
    assert machine.read(machine.outside / "shadow") == b"line\n"
    assert machine.list_names(machine.top / "later") == ["shadow"]


def test_what_is_missing_is_not_found_and_what_is_no_directory_is_invalid(machine: Machine) -> None:
    (machine.logs / "loop").symlink_to("loop")
    for name in ("missing", "missing/deeper", "app.log/deeper", "x" * 300, "loop"):
        with pytest.raises(NotFound):
            machine.browser.list(str(machine.logs / name))
    with pytest.raises(Invalid, match="expected a directory"):
        machine.browser.list(str(machine.logs / "app.log"))
    with pytest.raises(Invalid, match="expected a file"):
        machine.read(machine.logs / "nginx")
    for path in ("logs", "./logs", "\0", "/\0"):
        with pytest.raises(Invalid, match="expected an absolute path"):
            machine.browser.list(path)


def test_pipes_and_sockets_are_neither_shown_nor_waited_for(machine: Machine) -> None:
    os.mkfifo(machine.logs / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        with suppress(OSError):  # the path may be too long for a socket
            listener.bind(str(machine.logs / "socket"))
        with pytest.raises(Invalid, match="expected a file"):
            machine.read(machine.logs / "pipe")
        assert machine.list_names(machine.logs) == ["nginx", "app.log"]


def test_a_directory_of_very_many_is_cut_and_says_so(machine: Machine) -> None:
    many = machine.logs / "nginx"
    for number in range(MOST_ENTRIES):
        (many / f"{number:05}").touch()
    assert machine.browser.list(str(many)).complete
    (many / "directory").mkdir()
    listing = machine.browser.list(str(many))
    assert not listing.complete
    assert len(listing.entries) == MOST_ENTRIES
    assert [each.name for each in listing.entries[:2]] == ["directory", "00000"]


def test_names_that_are_no_text_are_shown_with_escapes(machine: Machine) -> None:
    (machine.logs / "nginx" / os.fsdecode(b"caf\xe9.log")).touch()
    assert machine.list_names(machine.logs / "nginx") == ["caf\\xe9.log"]


def test_without_a_path_the_root_is_shown_or_the_roots(machine: Machine) -> None:
    assert machine.browser.list("").path == str(machine.logs)
    machine.roots.allowed = (machine.logs, machine.outside, machine.top / "missing")
    listing = machine.browser.list("")
    assert listing.path == ""
    assert [(each.name, each.type) for each in listing.entries] == [
        (str(machine.logs), "dir"),
        (str(machine.outside), "dir"),
    ]


def test_a_glob_must_begin_where_something_may_be_read(machine: Machine) -> None:
    for good in ("*.log", "**/*.log", "later/app-[0-9].log", "app.log", "nginx/a?b/*"):
        machine.browser.check_globs(f"{machine.logs}/{good}", ("*.gz",))
    for bad in (machine.outside / "*", machine.data / "**", machine.secret, Path("/*")):
        with pytest.raises(Forbidden):
            machine.browser.check_globs(str(bad), ())
    for path, exclude in ((f"{machine.logs}/[z-a]", ()), (str(machine.logs), ("[z-a]",))):
        with pytest.raises(Invalid, match="pattern"):
            machine.browser.check_globs(path, exclude)


def test_a_link_that_is_swapped_all_the_time_never_leads_out(machine: Machine) -> None:
    (machine.outside / "shadow").write_bytes(b"secret")
    (machine.outside / "app.log").write_bytes(b"secret")
    inside, link, spare = machine.logs / "nginx", machine.logs / "link", machine.logs / "spare"
    (inside / "app.log").write_bytes(b"line\n")
    link.symlink_to(inside)
    is_done = threading.Event()

    def swap() -> None:
        while not is_done.is_set():
            for target in (machine.outside, inside):
                spare.symlink_to(target)
                spare.replace(link)

    swapping = threading.Thread(target=swap)
    swapping.start()
    read = set()
    try:
        for _ in range(3_000):
            with suppress(Forbidden, NotFound):
                read.add(machine.read(link / "app.log"))
    finally:
        is_done.set()
        swapping.join()
    assert read <= {b"line\n"}
