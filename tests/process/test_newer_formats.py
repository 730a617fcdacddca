"""A service that meets the data of a newer build says so and ends; nothing is taken for damage."""

from pathlib import Path

import google_crc32c
from tests.process.service import Service
from tests.store.stores import make_store, opened, say

from logboom.store.wal.segment import HEADER, HEADER_BYTES


def test_a_log_of_a_newer_build_ends_the_start_and_stays_as_it_is(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with opened(make_store(data)) as store:
        store.submit(say("kept")).result()
        [segment] = (data / "wal").glob("*.wal")
        content = segment.read_bytes()
    magic, minor, major, mark, first_seq = HEADER.unpack_from(content)
    head = HEADER.pack(magic, minor, major + 1, mark, first_seq)
    newer = 2 * (head + google_crc32c.value(head).to_bytes(4, "little")) + content[HEADER_BYTES:]
    segment.write_bytes(newer)
    service = Service(data, tmp_path / "log", {})
    try:
        service.spawn()
        assert service.wait(within_s=120) == 1
    finally:
        service.close()
    [line] = [each for each in service.log.read_text().splitlines() if "format version" in each]
    assert line.endswith(
        f"{segment} has format version 2.0, and this build reads up to 1.0: use a newer build"
    )
    assert "Traceback" not in service.log.read_text()
    assert segment.read_bytes() == newer
