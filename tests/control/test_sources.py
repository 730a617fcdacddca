"""Pull sources as records: made, changed, reset, and what does not fit."""

from pathlib import Path
from typing import Any

import pytest

from logboom.base.clock import system_clock
from logboom.base.errors import Conflict, Invalid, NotFound
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.saved.sources import Multiline, Source, Sources

NEW = {"name": "web", "path": "/var/log/**/*.log"}


def open_sources(root: Path) -> Sources:
    return Sources(Documents(LocalObjects(root), PlainCipher()), system_clock)


def accept(_: Source) -> None:
    """Whatever it is."""


def test_a_source_has_the_documented_defaults_and_is_seen_by_other_nodes(tmp_path: Path) -> None:
    source = open_sources(tmp_path).create(NEW, accept)
    assert source == Source(
        id=source.id,
        name="web",
        environment="default",
        index="default",
        path="/var/log/**/*.log",
        exclude=(),
        format="auto",
        compression="auto",
        multiline=None,
        grok="",
        poll_interval_secs=10,
        source="",
        enabled=True,
        generation=0,
    )
    assert open_sources(tmp_path).list() == (source,)


def test_a_change_replaces_what_it_names_and_keeps_the_rest(tmp_path: Path) -> None:
    sources = open_sources(tmp_path)
    source = sources.create(NEW, accept)
    changes = {"multiline": {"pattern": r"^\d"}, "exclude": ["*.gz"], "enabled": False}
    changed = sources.update(source.id, changes, accept)
    assert changed.multiline == Multiline(pattern=r"^\d", max_lines=500)
    assert (changed.exclude, changed.enabled, changed.path) == (("*.gz",), False, source.path)
    assert sources.update(source.id, {"multiline": None}, accept).multiline is None


def test_a_reset_gives_every_mark_another_name(tmp_path: Path) -> None:
    sources = open_sources(tmp_path)
    source = sources.create(NEW, accept)
    assert sources.reset(source.id).generation == 1
    assert sources.reset(source.id).generation == 2
    assert sources.update(source.id, {"name": "other"}, accept).generation == 2
    with pytest.raises(NotFound):
        sources.reset("nothing")


def test_a_stale_change_or_reset_is_a_conflict(tmp_path: Path) -> None:
    sources = open_sources(tmp_path)
    source = sources.create(NEW, accept)
    seen = sources.generation
    sources.reset(source.id, seen)
    with pytest.raises(Conflict):
        sources.reset(source.id, seen)
    with pytest.raises(Conflict):
        sources.update(source.id, {"name": "other"}, accept, seen)
    assert sources.get(source.id).generation == 1


BAD: dict[str, dict[str, Any]] = {
    "no name": {"name": ""},
    "blank around the name": {"name": " web"},
    "reserved environment": {"environment": "_system"},
    "no environment": {"environment": ""},
    "reserved index": {"index": "_self"},
    "reserved index in capitals": {"index": "_SELF"},
    "long index": {"index": "x" * 1000},
    "no path": {"path": ""},
    "relative path": {"path": "var/log/*.log"},
    "bucket": {"path": "s3://bucket/prefix"},
    "path upwards": {"path": "/var/log/../../etc/shadow"},
    "NUL in the path": {"path": "/var/\0log"},
    "long path": {"path": "/" + "x" * 5000},
    "NUL in exclude": {"exclude": ["\0"]},
    "empty exclude": {"exclude": [""]},
    "many excludes": {"exclude": ["*.gz"] * 101},
    "compression": {"compression": "lzma"},
    "no lines": {"multiline": {"pattern": "x", "max_lines": 0}},
    "fold without pattern": {"multiline": {}},
    "short interval": {"poll_interval_secs": 4},
    "long interval": {"poll_interval_secs": 86_401},
    "fraction": {"poll_interval_secs": 5.5},
    "long tag": {"source": "x" * 1025},
    "unknown member": {"unknown": 1},
    "generation": {"generation": 7},
    "id": {"id": "x"},
}


@pytest.mark.parametrize("values", BAD.values(), ids=BAD)
def test_a_source_that_does_not_fit_is_refused_and_nothing_changes(
    tmp_path: Path, values: dict[str, Any]
) -> None:
    sources = open_sources(tmp_path)
    with pytest.raises(Invalid):
        sources.create({**NEW, **values}, accept)
    source = sources.create(NEW, accept)
    with pytest.raises(Invalid):
        sources.update(source.id, values, accept)
    assert sources.list() == (source,)


def test_what_the_check_refuses_does_not_come_to_be(tmp_path: Path) -> None:
    def refuse(source: Source) -> None:
        raise Invalid(f"not {source.name}")

    sources = open_sources(tmp_path)
    with pytest.raises(Invalid, match="not web"):
        sources.create(NEW, refuse)
    source = sources.create(NEW, accept)
    with pytest.raises(Invalid, match="not other"):
        sources.update(source.id, {"name": "other"}, refuse)
    assert sources.list() == (source,)


def test_a_template_may_choose_the_index(tmp_path: Path) -> None:
    source = open_sources(tmp_path).create({**NEW, "index": "app-{{service}}"}, accept)
    assert source.index == "app-{{service}}"
