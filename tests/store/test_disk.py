"""How full a disk is."""

import os
from pathlib import Path

import pytest

from logboom.store import disk
from logboom.store.disk import Disk


def test_a_look_counts_for_a_moment_and_no_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []
    real = os.statvfs

    def count_looks(path: Path) -> os.statvfs_result:
        looked.append(path)
        return real(path)

    monkeypatch.setattr(os, "statvfs", count_looks)
    monkeypatch.setattr(disk, "LOOK_S", 3600.0)
    seen = Disk(tmp_path)
    assert seen.look().f_blocks == real(tmp_path).f_blocks
    assert seen.look() is seen.look()
    assert looked == [tmp_path]
    monkeypatch.setattr(disk, "LOOK_S", 0.0)
    seen.look()
    assert looked == [tmp_path, tmp_path]
