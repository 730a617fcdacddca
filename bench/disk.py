"""Bytes on disk against bytes sent."""

from pathlib import Path

from bench.report import MB, Figure
from bench.workbench import Workbench

TARGET_RATIO = 6.5


def measure_disk(workbench: Workbench) -> list[Figure]:
    store = workbench.loaded_mixed.data / "store"
    stored_bytes, files = measure_tree(store)
    sent_bytes = workbench.mixed.size_bytes
    return [
        Figure(
            name="disk, mixed",
            value=sent_bytes / stored_bytes,
            unit="x smaller",
            target=TARGET_RATIO,
            at_least=True,
            detail=f"{stored_bytes / MB:.1f} of {sent_bytes / MB:.1f} MB, {files} files",
            method="NDJSON bytes over the sizes of all files of the store: blocks, block indexes, catalog",
        )
    ]


def measure_tree(directory: Path) -> tuple[int, int]:
    """Return the size and the number of the files under `directory`."""
    sizes = [path.stat().st_size for path in directory.rglob("*") if path.is_file()]
    return sum(sizes), len(sizes)
