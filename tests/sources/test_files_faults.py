"""One file that cannot be read is named with the reason, and the others go on."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sources.pulling import Pulling, pulling

UNREADABLE = {
    "broken.log.gz": "gzip",
    "short.log.gz": "ends too early",
    "pipe.log": "not a regular file",
    "dangling.log": "a link to a file that is not there",
    "loop.log": "symbolic links",
}


def make_unreadable(logs: Path) -> None:
    packed = gzip.compress(b"".join(b"line %d\n" % number for number in range(10_000)))
    (logs / "broken.log.gz").write_bytes(packed[:500] + b"\xff" * 500 + packed[1000:])
    (logs / "short.log.gz").write_bytes(packed[: len(packed) // 2])
    os.mkfifo(logs / "pipe.log")
    (logs / "dangling.log").symlink_to(logs / "nothing")
    (logs / "loop.log").symlink_to(logs / "loop.log")


def list_errors(bed: Pulling) -> dict[str, str]:
    return {os.path.basename(each.path): each.error for each in bed.status.files if each.error}


def poll(bed: Pulling) -> None:
    for _ in range(3):
        bed.clock.time_ns += 10 * 10**9
        bed._runner.run(bed.poller.poll())


def test_each_file_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    with pulling(tmp_path, "*") as bed:
        bed.write("a.log", "a")
        (bed.logs / "directory.log").mkdir()
        make_unreadable(bed.logs)
        bed.write("z.log", "z")
        poll(bed)
        assert {"a", "z"} <= set(bed.messages)
        errors = list_errors(bed)
        assert errors.keys() == UNREADABLE.keys()
        for name, reason in UNREADABLE.items():
            assert reason in errors[name]
        assert bed.status.last_status == "error"
        read = {os.path.basename(each.path) for each in bed.status.files if not each.error}
        assert read == {"a.log", "z.log"}
        for name in UNREADABLE:
            (bed.logs / name).unlink()
        bed.poll()
        assert list_errors(bed) == {}


def test_a_directory_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    with pulling(tmp_path, "app.log") as bed:
        (bed.logs / "app.log").mkdir(parents=True)
        assert "app.log: not a regular file" in bed.try_poll()


POLL_WITHOUT_RIGHTS = """
import os, sys
from pathlib import Path
from tests.sources.pulling import pulling
os.setgroups([]); os.setgid(65534); os.setuid(65534)
with pulling(Path(sys.argv[1])) as bed:
    bed.write("a.log", "a")
    bed.write("secret.log", "secret").chmod(0)
    print(bed.try_poll(), bed.messages, [each.error for each in bed.status.files if each.error])
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    for parent in list(tmp_path.parents)[:3]:
        parent.chmod(parent.stat().st_mode | 0o111)
    result = subprocess.run(
        [sys.executable, "-c", POLL_WITHOUT_RIGHTS, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    said, _, status = result.stdout.partition(" ['a'] ")
    assert "secret.log' may not be read" in said
    assert "secret.log' may not be read" in status
