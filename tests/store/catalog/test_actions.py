"""The Delta log's lines: their inverse, their damage, and the readers of others that follow them."""

from datetime import date
from pathlib import Path

import deltalake
import msgspec
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.stores import NOW_NS, checkpoint, make_batch, make_store, opened, read_rows

from logboom.base.clock import NS_PER_DAY
from logboom.base.versions import BLOCK, FIRST, Version
from logboom.store.block.info import BlockInfo
from logboom.store.block.layout import NANOSECONDS
from logboom.store.catalog.actions import (
    Action,
    Commit,
    Transaction,
    decode_commit,
    describe_block,
    encode_commit,
    read_block,
)
from logboom.store.catalog.table import CORE_COLUMNS
from logboom.store.store import Store

Int64 = st.integers(-(2**63), 2**63 - 1)
Blocks = st.builds(
    BlockInfo,
    path=st.from_regex(r"blocks/[0-9-]{10}/[0-9a-z]{26}\.parquet", fullmatch=True),
    env=st.text(min_size=1, max_size=20),
    day=st.integers(-100_000, 100_000),
    rows=st.integers(1, 2**40),
    size_bytes=st.integers(1, 2**40),
    first_ns=Int64,
    last_ns=Int64,
    last_seq=st.integers(0, 2**63 - 1),
    node=st.from_regex("[0-9a-f]{8}", fullmatch=True),
    version=st.sampled_from([FIRST, BLOCK, Version(BLOCK.major, BLOCK.minor + 1)]),
    more=st.sampled_from([(), (("invented", "later"), ("empty", None))]),
)
IDENTITY = ("_time", "_node", "_seq")
COLUMNS = (*IDENTITY, "_env", "_day", "_index", "message")


@given(Blocks)
@settings(deadline=None)
def test_what_the_log_says_of_a_block_is_all_the_catalog_knows(block: BlockInfo) -> None:
    line = msgspec.json.encode(Action(add=describe_block(block, 1)))
    action = msgspec.json.decode(line, type=Action)
    assert action.add
    assert read_block(action.add) == block


@given(st.lists(Blocks, max_size=3), Int64)
@settings(deadline=None)
def test_a_commit_is_read_as_it_was_written(blocks: list[BlockInfo], version: int) -> None:
    actions = [Action(txn=Transaction("node", version))]
    actions += [Action(add=describe_block(block, 1)) for block in blocks]
    commit = decode_commit(encode_commit(actions, "WRITE", 1))
    assert commit.info
    assert commit.actions == actions


def test_two_commits_of_the_same_are_told_apart() -> None:
    assert encode_commit([], "WRITE", 1) != encode_commit([], "WRITE", 1)


def test_a_block_is_read_as_it_was_described() -> None:
    first_release = BlockInfo(
        "blocks/a.parquet", "default", 1, 2, 3, 4, 5, 6, "node", version=FIRST
    )
    merged = first_release._replace(level=2, checksum=0, index_checksum=9)
    for block in (first_release, merged):
        assert read_block(describe_block(block, 1)) == block


def test_a_flipped_bit_gives_the_same_actions_or_is_refused() -> None:
    block = BlockInfo("blocks/a.parquet", "default", 1, 2, 3, 4, 5, 6, "node", 1, 7, 8)
    actions = [Action(txn=Transaction("node", 1)), Action(add=describe_block(block, 1))]
    data = encode_commit(actions, "WRITE", 1)
    for bit in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            found = decode_commit(bytes(flipped))
        except (ValueError, msgspec.MsgspecError):
            continue
        assert found.actions == actions


def test_a_cut_commit_is_refused() -> None:
    data = encode_commit([Action(txn=Transaction("node", version)) for version in (1, 2)], "X", 1)
    for size in range(len(data)):
        with pytest.raises((ValueError, msgspec.MsgspecError)):
            decode_commit(data[:size])


def test_commits_of_other_writers_are_read_too() -> None:
    line = b'{"commitInfo":{"engineInfo":"x","operationParameters":{}}}\n'
    assert decode_commit(line) == Commit(None, [])


def fill(store: Store, first: int) -> None:
    """Two days, two environments, two indexes, lines that are no events."""
    for number, env in enumerate(("default", "prod"), first):
        lines = [
            b'{"ts":%d,"message":"event %d %d","n":%d,"app":"a%d"}'
            % (NOW_NS + day * NS_PER_DAY + number, number, day, day, day)
            for day in (-1, 0)
        ]
        batch = make_batch(b"\n".join([*lines, b"no json"]), env=env, index="app-{{app}}")
        store.submit(batch).result()
    store.flush().result()


def read_with_polars(root: Path) -> pl.DataFrame:
    return pl.read_delta(str(root))


def read_with_deltalake(root: Path) -> pl.DataFrame:
    builder = deltalake.QueryBuilder().register("events", deltalake.DeltaTable(root))
    return pl.DataFrame(builder.execute("select * from events").read_all())


def read_live_files(root: Path) -> pl.DataFrame:
    files = [file.removeprefix("file://") for file in deltalake.DeltaTable(root).file_uris()]
    times = pl.col("_time").cast(NANOSECONDS)
    return pl.concat([pl.read_parquet(file).with_columns(times) for file in files], how="diagonal")


READERS = [read_with_polars, read_with_deltalake, read_live_files]


def compare(store: Store, root: Path) -> None:
    """Every reader finds exactly our rows."""
    micros = pl.col("_time").cast(NANOSECONDS).cast(pl.Datetime("us", "UTC"))
    expected = read_rows(store).select(COLUMNS).with_columns(micros).sort(IDENTITY)
    assert expected.height > 0
    for read in READERS:
        found = read(root).select(COLUMNS).with_columns(micros).sort(IDENTITY)
        assert found.rows() == expected.rows(), read.__name__


def test_other_readers_find_the_same_rows_before_and_after_checkpoints(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, 0)
        compare(store, root)
        fill(store, 10)
        checkpoint(root)
        compare(store, root)
        fill(store, 20)
        compare(store, root)
        checkpoint(root)
        fill(store, 30)
    with opened(make_store(tmp_path)) as store:
        compare(store, root)
        assert read_rows(store).height == 4 * 2 * 3


def test_other_readers_can_skip_by_environment_and_day(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, 0)
    is_wanted = (pl.col("_env") == "prod") & (pl.col("_day") == date(2023, 11, 13))
    assert pl.scan_delta(str(root)).filter(is_wanted).collect()["message"].to_list() == [
        "event 1 -1"
    ]


def test_other_readers_see_the_promised_columns_and_position(tmp_path: Path) -> None:
    root = tmp_path / "store"
    with opened(make_store(tmp_path)) as store:
        fill(store, 0)
        table = deltalake.DeltaTable(root)
        names = [field.name for field in table.schema().fields]
        assert names == [*CORE_COLUMNS, "app", "n:int"]
        assert table.transaction_version(store.node) == 2
        assert [commit["operation"] for commit in table.history()] == [
            "WRITE",
            "CLAIM",
            "CREATE TABLE",
        ]


def test_an_empty_store_is_an_empty_table(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)):
        pass
    for read in (read_with_polars, read_with_deltalake):
        assert read(tmp_path / "store").height == 0
