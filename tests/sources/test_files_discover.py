"""Which files a glob means, and which it never does."""

import os
from pathlib import Path

import pytest
from tests.sources.pulling import pulling

from logboom.base.errors import Invalid
from logboom.sources.files import discover
from logboom.sources.files.discover import Discovery

TREE = (
    *("a.log", "b.txt", ".hidden.log", "sub/c.log", "sub/deep/d.log", "sub/deep/e.log.1"),
    *(".git/f.log", "other/g[1].log", "other/h1.log"),
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in TREE:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def find(root: Path, glob: str, *exclude: str) -> set[str]:
    discovery = Discovery(f"{root}/{glob}", exclude)
    found = [each for some in discovery.walk() for each in some]
    assert discovery.is_complete
    assert len({each.path for each in found}) == len(found)
    return {os.path.relpath(each.path, root) for each in found}


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*.log", {"a.log"}),
        ("**/*.log", {"a.log", "sub/c.log", "sub/deep/d.log", "other/g[1].log", "other/h1.log"}),
        ("**", set(TREE) - {".hidden.log", ".git/f.log"}),
        ("sub/**/deep/*", {"sub/deep/d.log", "sub/deep/e.log.1"}),
        ("**/deep/**/*.log*", {"sub/deep/d.log", "sub/deep/e.log.1"}),
        ("*/*.log", {"sub/c.log", "other/g[1].log", "other/h1.log"}),
        ("sub/c.log", {"sub/c.log"}),
        ("s?b/[a-c].log", {"sub/c.log"}),
        ("[!b]*.log", {"a.log"}),
        (".*.log", {".hidden.log"}),
        (".git/*", {".git/f.log"}),
        ("other/g[[]1].log", {"other/g[1].log"}),
        ("other/?[[1]*.log", {"other/g[1].log", "other/h1.log"}),
        ("missing/*.log", set()),
        ("a.log/*", set()),
        ("sub", set()),
    ],
)
def test_a_glob_means_files(tree: Path, glob: str, expected: set[str]) -> None:
    assert find(tree, glob) == expected


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        ("*.1", {"a.log", "b.txt", "sub/c.log", "sub/deep/d.log"}),
        ("deep", {"a.log", "b.txt", "sub/c.log"}),
        ("sub/**", {"a.log", "b.txt"}),
        ("**/deep/d*", {"a.log", "b.txt", "sub/c.log", "sub/deep/e.log.1"}),
        ("{root}/sub", {"a.log", "b.txt"}),
        ("{root}/*.log", {"b.txt", "sub/c.log", "sub/deep/d.log", "sub/deep/e.log.1"}),
        ("/*.log", {"a.log", "b.txt", "sub/c.log", "sub/deep/d.log", "sub/deep/e.log.1"}),
    ],
)
def test_what_is_excluded_is_excluded_with_all_below_it(
    tree: Path, exclude: str, left: set[str]
) -> None:
    assert find(tree, "**", "other", exclude.format(root=tree)) == left


def test_a_glob_that_is_none_is_invalid() -> None:
    with pytest.raises(Invalid):
        Discovery("/logs/[z-a].log", ())


def test_links_are_followed_where_they_are_meant_and_nowhere_else(tree: Path) -> None:
    (tree / "sub" / "loop").symlink_to(tree)
    (tree / "link.log").symlink_to(tree / "b.txt")
    (tree / "dangling.log").symlink_to(tree / "nothing")
    assert find(tree, "**/*.log") == {
        *("a.log", "link.log", "sub/c.log", "sub/deep/d.log", "other/g[1].log", "other/h1.log")
    }
    assert find(tree, "sub/loop/*.log") == {"sub/loop/a.log", "sub/loop/link.log"}


def test_only_regular_files_are_files(tree: Path) -> None:
    os.mkfifo(tree / "pipe.log")
    assert find(tree, "*.log") == {"a.log"}


def test_a_large_directory_is_looked_at_in_slices(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discover, "SLICE_ENTRIES", 10)
    for number in range(95):
        (tree / "sub" / f"{number}.log").touch()
    slices = list(Discovery(f"{tree}/sub/*.log", ()).walk())
    assert max(map(len, slices)) <= 10
    assert sum(map(len, slices)) == 96


def test_names_that_are_no_text_are_found_and_shown(tmp_path: Path) -> None:
    with pulling(tmp_path, "*.log") as bed:
        name = os.fsencode(bed.logs) + b"/\xff.log"
        with open(name, "wb") as file:
            file.write(b"a\n")
        assert bed.read() == ["a"]
        assert bed.status.files[0].path == f"{bed.logs}/\\xff.log"


def test_a_link_out_of_what_may_be_read_is_a_fault(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        bed.write("a.log", "a")
        (bed.logs / "own.log").symlink_to(bed.store.options.data_dir / "node")
        assert "may not be read" in bed.try_poll()
        assert bed.messages == ["a"]


def test_a_file_with_two_names_is_read_once(tmp_path: Path) -> None:
    with pulling(tmp_path) as bed:
        path = bed.write("a.log", "a")
        (bed.logs / "soft.log").symlink_to(path)
        (bed.logs / "hard.log").hardlink_to(path)
        assert bed.read() == ["a"]
        path.unlink()
        (bed.logs / "soft.log").unlink()
        assert bed.poll().ingested == 0


def test_what_may_not_be_read_is_not_looked_for(tmp_path: Path) -> None:
    with pulling(tmp_path, "../**") as bed:
        bed.write("a.log", "a")
        assert bed.read() == ["a"]
        assert [file.path for file in bed.status.files] == [f"{bed.logs}/../logs/a.log"]


def test_a_directory_above_the_roots_is_looked_through(tree: Path) -> None:
    admitted = str(tree / "sub")
    discovery = Discovery(f"{tree}/**/*.log", (), lambda path: path.startswith(admitted))
    paths = {os.path.relpath(each.path, tree) for some in discovery.walk() for each in some}
    assert paths == {"sub/c.log", "sub/deep/d.log"}
