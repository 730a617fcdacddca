"""Verification of blocks and indexes: every flipped bit is found, and a store out of reach is no damage."""

import errno
import os
from pathlib import Path

import pytest
from tests.store.disk import failing
from tests.store.integrity.damaging import (
    find_file,
    find_index,
    flip,
    keep_events,
    list_flips,
)
from tests.store.stores import make_store, opened

from logboom.store.integrity.verify import (
    MISSING,
    WRONG_CHECKSUM,
    verify_block,
    verify_index,
)


def test_whole_files_are_whole(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        assert verify_block(store.objects, info) is None
        assert verify_index(store.objects, info) is None
        without = info._replace(checksum=None, index_checksum=None)
        assert verify_block(store.objects, without, deep=True) is None
        assert verify_index(store.objects, without) is None


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        for path, verify in (
            (find_file(store, info), verify_block),
            (find_index(store, info), verify_index),
        ):
            for offset, bit in list_flips(path, 60):
                flip(path, offset, bit)
                assert verify(store.objects, info) == WRONG_CHECKSUM
                flip(path, offset, bit)
            assert verify(store.objects, info) is None


def test_a_cut_or_missing_file_is_damage(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        file, index = find_file(store, info), find_index(store, info)
        os.truncate(file, info.size_bytes - 1)
        reason = f"it has {info.size_bytes - 1} bytes, expected {info.size_bytes}"
        assert verify_block(store.objects, info) == reason
        file.unlink()
        index.unlink()
        assert verify_block(store.objects, info) == MISSING
        assert verify_index(store.objects, info) == MISSING


def test_blocks_without_checksums_are_checked_by_their_structure(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)._replace(checksum=None, index_checksum=None)
        file = find_file(store, info)
        reason = f"it has {info.rows} rows, expected {info.rows + 1}"
        assert verify_block(store.objects, info._replace(rows=info.rows + 1)) == reason
        flip(file, info.size_bytes - 1)
        assert "it cannot be read" in (verify_block(store.objects, info) or "")
        flip(file, info.size_bytes - 1)
        found = {False: 0, True: 0}
        for offset, bit in list_flips(file, 40):
            flip(file, offset, bit)
            for deep in found:
                found[deep] += verify_block(store.objects, info, deep=deep) is not None
            flip(file, offset, bit)
        assert 0 < found[False] < found[True]
        reason = f"it describes {info.rows} rows, expected {info.rows + 1}"
        assert verify_index(store.objects, info._replace(rows=info.rows + 1)) == reason


def test_only_the_file_itself_is_to_blame(tmp_path: Path) -> None:
    with opened(make_store(tmp_path)) as store:
        info = keep_events(store)
        with failing("stat", errno.EMFILE), pytest.raises(OSError, match="Too many open files"):
            verify_block(store.objects, info)
        with failing("stat", errno.EIO):
            assert verify_block(store.objects, info) == "it cannot be read: Input/output error"
