"""What the measurements share: a directory, the datasets, and the loaded stores, each made on first use."""

import sys
import tempfile
from functools import cached_property
from pathlib import Path

from bench.corpora import CORPORA
from bench.dataset import Dataset, write_dataset
from bench.load import Loaded, load

WIDE_SHARE = 5
"""`wide` events are made for one in so many `mixed` ones: they cost more and show only a cost per event."""


class Workbench:
    """Everything lies under `directory`, which the caller removes."""

    def __init__(self, directory: Path, events: int) -> None:
        self._directory = directory
        self._events = events

    def make_directory(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self._directory))

    @cached_property
    def mixed(self) -> Dataset:
        return self._write("mixed", self._events)

    @cached_property
    def wide(self) -> Dataset:
        return self._write("wide", max(self._events // WIDE_SHARE, 1))

    @cached_property
    def loaded_mixed(self) -> Loaded:
        return self.load(self.mixed)

    @cached_property
    def loaded_wide(self) -> Loaded:
        return self.load(self.wide)

    def _write(self, name: str, events: int) -> Dataset:
        note(f"making {events:,} {name} events")
        return write_dataset(self._directory / f"{name}.ndjson", CORPORA[name](events))

    def load(self, dataset: Dataset) -> Loaded:
        note(f"loading {dataset.events:,} events of {dataset.path.stem}")
        return load(dataset, self.make_directory())


def note(text: str) -> None:
    """Print progress for the person who waits."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
