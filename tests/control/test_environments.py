"""The registry: what always exists, which names are allowed, and reads without the disk."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logboom.base.errors import Conflict, Invalid, NotFound, Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import AesCipher
from logboom.control.documents.store import Documents
from logboom.control.registry.environments import Environment, Environments


def open_environments(root: Path) -> Environments:
    return Environments(Documents(LocalObjects(root), AesCipher(bytes(32))))


def list_names(environments: Environments, *, reserved: bool = False) -> list[str]:
    return [each.name for each in environments.list(reserved=reserved)]


def test_default_is_always_there_and_system_only_for_those_who_ask(tmp_path: Path) -> None:
    environments = open_environments(tmp_path)
    assert list_names(environments) == ["default"]
    assert list_names(environments, reserved=True) == ["_system", "default"]
    assert environments.get("default") == Environment("default", None)
    assert environments.get("_system", reserved=True).is_reserved


def test_a_created_one_is_found_here_and_after_reopening(tmp_path: Path) -> None:
    environments = open_environments(tmp_path)
    assert environments.create("staging", 7) == Environment("staging", 7)
    for each in (environments, open_environments(tmp_path)):
        assert each.get("staging") == Environment("staging", 7)
        assert list_names(each) == ["default", "staging"]
        assert list_names(each, reserved=True) == ["_system", "default", "staging"]


def test_reading_needs_no_store_and_other_nodes_changes_come_with_a_refresh(tmp_path: Path) -> None:
    here, elsewhere = open_environments(tmp_path), open_environments(tmp_path)
    elsewhere.create("staging")
    with pytest.raises(Invalid):
        here.get("staging")
    here.refresh()
    shutil.rmtree(tmp_path)
    assert here.get("staging").name == "staging"
    with pytest.raises(Unavailable):
        here.refresh()


@pytest.mark.parametrize("name", ["nope", "", "DEFAULT", "default ", "x" * 10_000])
@pytest.mark.parametrize("reserved", [False, True])
def test_an_unknown_name_is_called_unknown_environment(
    tmp_path: Path, name: str, reserved: bool
) -> None:
    with pytest.raises(Invalid, match="unknown environment") as caught:
        open_environments(tmp_path).get(name, reserved=reserved)
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("name", ["_system", "_x", "_"])
def test_reserved_names_are_refused_from_outside(tmp_path: Path, name: str) -> None:
    environments = open_environments(tmp_path)
    with pytest.raises(Invalid, match="is reserved"):
        environments.get(name)
    with pytest.raises(Invalid, match="is reserved"):
        environments.create(name)


@pytest.mark.parametrize(
    "name", ["", "A", "a b", "-a", "a\n", "a.b", "a/b", "..", "ä", "a" * 65, "a\0"]
)
def test_bad_names_are_refused(tmp_path: Path, name: str) -> None:
    environments = open_environments(tmp_path)
    with pytest.raises(Invalid, match=r"environment name .* is not valid"):
        environments.create(name)
    assert list_names(environments) == ["default"]


@pytest.mark.parametrize("name", ["a", "0", "a" * 64, "prod-eu_1"])
def test_good_names_are_accepted(tmp_path: Path, name: str) -> None:
    assert open_environments(tmp_path).create(name).name == name


@pytest.mark.parametrize("retention_days", [0, -1, 36_501, 2**70])
def test_a_retention_out_of_range_is_refused(tmp_path: Path, retention_days: int) -> None:
    with pytest.raises(Invalid, match="retention_days"):
        open_environments(tmp_path).create("a", retention_days)


def test_what_exists_cannot_be_created_again(tmp_path: Path) -> None:
    environments, elsewhere = open_environments(tmp_path), open_environments(tmp_path)
    environments.create("a", 1)
    for each in (environments, elsewhere):
        for name in ("a", "default"):
            with pytest.raises(Conflict, match="exists already"):
                each.create(name, 2)
    assert environments.get("a").retention_days == 1


def test_nodes_that_create_at_the_same_moment_keep_each_others(tmp_path: Path) -> None:
    nodes = [open_environments(tmp_path) for _ in range(3)]
    names = [f"env-{number:02d}" for number in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: nodes[int(name[4:]) % 3].create(name), names))
    assert list_names(open_environments(tmp_path)) == ["default", *names]


def test_retention_is_changed_and_taken_away(tmp_path: Path) -> None:
    environments = open_environments(tmp_path)
    environments.create("a", 1)
    assert environments.update("a", 30) == Environment("a", 30)
    assert environments.update("default", 7).retention_days == 7
    assert open_environments(tmp_path).get("a").retention_days == 30
    assert environments.update("a", None) == environments.get("a") == Environment("a")
    with pytest.raises(Invalid, match="retention_days"):
        environments.update("a", 0)


def test_a_deleted_one_is_unknown_and_may_be_made_again(tmp_path: Path) -> None:
    environments = open_environments(tmp_path)
    environments.create("a", 1)
    environments.delete("a")
    for each in (environments, open_environments(tmp_path)):
        assert list_names(each) == ["default"]
    assert environments.create("a") == Environment("a")


def test_what_always_exists_cannot_be_deleted_and_the_services_own_not_touched(
    tmp_path: Path,
) -> None:
    environments = open_environments(tmp_path)
    with pytest.raises(Conflict, match="'default' cannot be deleted"):
        environments.delete("default")
    with pytest.raises(Invalid, match="is reserved"):
        environments.delete("_system")
    with pytest.raises(Invalid, match="is reserved"):
        environments.update("_system", 1)
    assert list_names(environments, reserved=True) == ["_system", "default"]


def test_what_is_not_there_is_neither_changed_nor_deleted(tmp_path: Path) -> None:
    environments = open_environments(tmp_path)
    with pytest.raises(NotFound, match="no environment 'nope'"):
        environments.update("nope", 1)
    with pytest.raises(NotFound, match="no environment 'nope'"):
        environments.delete("nope")


def test_a_stale_generation_is_a_conflict(tmp_path: Path) -> None:
    environments = open_environments(tmp_path)
    environments.create("a")
    environments.create("b")
    with pytest.raises(Conflict, match="environments changed in the meantime"):
        environments.update("a", 1, environments.generation - 1)
    with pytest.raises(Conflict, match="environments changed in the meantime"):
        environments.delete("a", environments.generation - 1)
    environments.delete("a", environments.generation)
    assert list_names(environments) == ["b", "default"]
