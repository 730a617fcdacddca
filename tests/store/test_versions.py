"""Formats of newer builds: a minor version is read and kept, a major one refused before anything is touched."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import google_crc32c
import polars as pl
import pytest
from tests.store.stores import (
    NOW_NS,
    HandClock,
    checkpoint,
    list_messages,
    make_answer,
    make_store,
    opened,
    say,
)
from tests.together import together

from logboom.base.clock import NS_PER_S
from logboom.base.errors import TooNew
from logboom.base.stores.local import LocalObjects
from logboom.base.versions import (
    ANSWERS,
    BLOCK,
    CATALOG,
    CHECKPOINT,
    CLAIM,
    LOG_SEGMENT,
    Version,
    check_version,
    parse_version,
)
from logboom.store.block.layout import read_block
from logboom.store.catalog.actions import Action, decode_commit, encode_commit
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.checkpoint import (
    decode_checkpoint,
    encode_checkpoint,
    make_digest,
)
from logboom.store.catalog.log import name_checkpoint, name_commit
from logboom.store.companions import Companions
from logboom.store.idempotency.answers import Answers
from logboom.store.store import Store
from logboom.store.wal.segment import HEADER, HEADER_BYTES

Tell = Callable[[Path, int, int], None]
"""Makes a data directory say that one of its files has a newer version, by so many majors and minors."""


def fill(data: Path) -> None:
    """A store with a block, a checkpoint, and an event in the write-ahead log."""
    with opened(make_store(data)) as store:
        store.submit(say("flushed"), Companions(make_answer("key"))).result()
        store.flush().result()
        checkpoint(data / "store")
        store.submit(say("committed")).result()
        store.flush().result()
        store.submit(say("waiting")).result()
        wal = {path: path.read_bytes() for path in (data / "wal").glob("*.wal")}
    for path, content in wal.items():
        path.write_bytes(content)
    forget_position(data)


def forget_position(data: Path) -> None:
    """Take back the last commit, so that the last event is in the write-ahead log only."""
    newest = max((data / "store/_delta_log").glob("*.json"))
    newest.unlink()


def raise_version(known: Version, majors: int, minors: int) -> Version:
    return Version(known.major + majors, known.minor + minors)


def tell_segment(data: Path, majors: int, minors: int) -> None:
    path = max((data / "wal").glob("*.wal"))
    content = path.read_bytes()
    magic, minor, major, mark, first_seq = HEADER.unpack_from(content)
    head = HEADER.pack(magic, minor + minors, major + majors, mark, first_seq)
    copy = head + google_crc32c.value(head).to_bytes(4, "little")
    path.write_bytes(2 * copy + content[HEADER_BYTES:])


def tell_claim(data: Path, majors: int, minors: int) -> None:
    path = data / "claim"
    newer = raise_version(CLAIM, majors, minors)
    path.write_text(path.read_text().replace(f"={CLAIM}", f"={newer}") + " invented=later")


def tell_answers(data: Path, majors: int, minors: int) -> None:
    path = data / "idempotency.log"
    newer = raise_version(ANSWERS, majors, minors)
    path.write_text(path.read_text().replace(f'"{ANSWERS}"', f'"{newer}"', 1))


def tell_checkpoint(data: Path, majors: int, minors: int) -> None:
    path = max((data / "store/_delta_log").glob("*.checkpoint.parquet"))
    newer = str(raise_version(CHECKPOINT, majors, minors))
    frame = pl.read_parquet(path)
    noted = {"logboom.format": newer, "logboom.digest": make_digest(frame, newer)}
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=noted)
    path.write_bytes(buffer.getvalue())


def append_commit(data: Path, change: Callable[[Action], None], *, of: str) -> None:
    """Repeat the newest action of a kind in a commit of ours, changed."""
    commits = sorted((data / "store/_delta_log").glob("*.json"))
    actions = [each for path in commits for each in decode_commit(path.read_bytes()).actions]
    action = next(each for each in reversed(actions) if getattr(each, of))
    change(action)
    path = data / "store" / name_commit(len(commits))
    assert not path.exists()
    path.write_bytes(encode_commit([action], "WRITE", NOW_NS // 1_000_000))


def tell_table(data: Path, majors: int, minors: int) -> None:
    def change(action: Action) -> None:
        assert action.metaData
        newer = str(raise_version(CATALOG, majors, minors))
        action.metaData.configuration |= {"logboom.format": newer, "logboom.invented": "later"}

    append_commit(data, change, of="metaData")


def tell_table_in_checkpoint(data: Path, majors: int, minors: int) -> None:
    path = max((data / "store/_delta_log").glob("*.checkpoint.parquet"))
    snapshot, marks, _ = decode_checkpoint(path.read_bytes(), int(path.name[:20]))
    assert snapshot.metadata
    newer = str(raise_version(CATALOG, majors, minors))
    snapshot.metadata.configuration["logboom.format"] = newer
    path.write_bytes(encode_checkpoint(snapshot, marks)[0])


def tell_block(data: Path, majors: int, minors: int) -> None:
    def change(action: Action) -> None:
        assert action.add
        assert action.add.tags
        newer = str(raise_version(BLOCK, majors, minors))
        action.add.tags |= {"format": newer, "invented": "later"}

    append_commit(data, change, of="add")


TELL: list[Tell] = [
    *(tell_segment, tell_claim, tell_answers, tell_checkpoint),
    *(tell_table, tell_table_in_checkpoint, tell_block),
]


def read_all(data: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}


@pytest.mark.parametrize("tell", TELL)
def test_a_newer_major_version_is_refused_and_nothing_is_lost(tmp_path: Path, tell: Tell) -> None:
    fill(tmp_path)
    tell(tmp_path, 1, 0)
    before = read_all(tmp_path)
    store = make_store(tmp_path)
    with pytest.raises(
        TooNew, match=r"has format version \d\.\d, and this build reads up to \d\.\d"
    ):
        store.open()
    store.close()
    after = read_all(tmp_path)
    assert {path: after.get(path) for path in before} == before


@pytest.mark.parametrize("tell", TELL)
def test_a_newer_minor_version_is_read(tmp_path: Path, tell: Tell) -> None:
    fill(tmp_path)
    tell(tmp_path, 0, 1)
    with opened(make_store(tmp_path)) as store:
        assert list_messages(store) == ["committed", "flushed", "waiting"]
        assert store.answers.find("key")


def test_what_a_newer_minor_version_noted_is_kept_in_checkpoints(tmp_path: Path) -> None:
    fill(tmp_path)
    tell_table(tmp_path, 0, 1)
    tell_block(tmp_path, 0, 1)
    with opened(make_store(tmp_path)):
        pass
    version = checkpoint(tmp_path / "store")
    with opened(make_store(tmp_path)) as store:
        metadata = store.snapshot().metadata
        assert metadata
        assert metadata.configuration["logboom.format"] == str(raise_version(CATALOG, 0, 1))
        assert metadata.configuration["logboom.invented"] == "later"
        assert [("invented", "later")] in [
            list(block.more) for block in store.snapshot().list_blocks()
        ]
    stored = pl.read_parquet(tmp_path / "store" / name_checkpoint(version))
    assert "later" in str(stored["add"].to_list())


def test_a_running_node_keeps_events_in_its_log_once_the_catalog_is_too_new(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        store.submit(say("before")).result()
        store.flush().result()
        tell_table(tmp_path, 1, 0)
        store.submit(say("after")).result()
        with pytest.raises(Exception, match="format version"):
            store.flush().result()
        assert list_messages(store) == ["before"]
        newest = max((tmp_path / "store/_delta_log").glob("*.json"))
        newest.unlink()
        store.flush().result()
        assert list_messages(store) == ["after", "before"]


def test_the_file_of_a_block_is_refused_by_its_own_version(tmp_path: Path) -> None:
    path = tmp_path / "block.parquet"
    frame = pl.DataFrame({"_time": [1]})
    for version, is_read in (("2.9", True), ("3.9", True), ("4.0", False), ("1.0", True)):
        frame.write_parquet(path, metadata={"logboom.format": version})
        if is_read:
            assert read_block(str(path)).equals(frame)
        else:
            with pytest.raises(TooNew, match=r"block\.parquet has format version 4\.0"):
                read_block(str(path))


def test_a_journal_of_the_first_release_has_no_heading(tmp_path: Path) -> None:
    path = tmp_path / "idempotency.log"

    def open_answers() -> Answers:
        answers = Answers(path, 24.0, 1 << 20, HandClock(NOW_NS + NS_PER_S), lambda _block: True)
        answers.open()
        return answers

    open_answers().journal([make_answer("key")])
    heading, line = path.read_text().splitlines()
    assert json.loads(heading) == {"format": "1.0"}
    path.write_text(line + "\n")
    assert open_answers().find("key")
    assert path.read_text().startswith(heading)


def test_reading_a_log_that_is_too_new_changes_nothing(tmp_path: Path) -> None:
    fill(tmp_path)
    tell_checkpoint(tmp_path, 1, 0)
    before = read_all(tmp_path)
    with pytest.raises(TooNew, match=r"checkpoint\.parquet"):
        Catalog(LocalObjects(tmp_path / "store"), HandClock()).follow()
    assert read_all(tmp_path) == before


def test_a_damaged_version_of_a_checkpoint_is_not_taken_for_a_newer_one(tmp_path: Path) -> None:
    fill(tmp_path)
    path = max((tmp_path / "store/_delta_log").glob("*.checkpoint.parquet"))
    data = path.read_bytes()
    key = b"logboom.format"
    place = data.index(b"3.0", data.rindex(key))
    for damaged in (b"4.0", b"0.0", b"3.1", b"2.0", b"x.0"):
        path.write_bytes(data[:place] + damaged + data[place + 3 :])
        catalog = Catalog(LocalObjects(tmp_path / "store"), HandClock())
        catalog.follow()
        assert catalog.checkpoint_version == -1, "the commits tell all of it"
        assert catalog.snapshot.count_blocks() == 2


@pytest.mark.parametrize(
    ("text", "version"), [(None, (1, 0)), ("1", (1, 0)), ("2.13", (2, 13)), ("10.0", (10, 0))]
)
def test_versions_are_read(text: str | None, version: tuple[int, int]) -> None:
    assert parse_version(text) == version


@together("text", ["", ".", "1.", "-1.0", "1.0.0", "x", "²"])
def test_what_is_no_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="version"):
        parse_version(text)


def test_only_the_major_version_decides() -> None:
    check_version("a", Version(2, 9), Version(2, 0))
    check_version("a", Version(1, 0), Version(2, 0))
    with pytest.raises(TooNew):
        check_version("a", Version(3, 0), Version(2, 9))


def test_segments_are_written_as_the_first_release_wrote_them(tmp_path: Path) -> None:
    store: Store
    with opened(make_store(tmp_path)) as store:
        store.submit(say("a")).result()
        [path] = (tmp_path / "wal").glob("*.wal")
        assert path.read_bytes().startswith(b"LBWAL\x00\x00\x01")
    assert Version(1, 0) == LOG_SEGMENT
