"""`logboom version --check`: what it says of data directories of other builds."""

from pathlib import Path

import pytest
from tests.golden.directories import NAMES, unpack
from tests.store.test_versions import TELL, Tell, fill
from typer.testing import CliRunner

from logboom.base.errors import Corrupt, LogboomError, NotFound, TooNew
from logboom.cli.commands import make_app
from logboom.cli.table import COMMANDS


def check(directory: Path) -> str:
    answer = CliRunner().invoke(make_app(COMMANDS, {}), ["version", "--check", str(directory)])
    if isinstance(answer.exception, LogboomError):
        raise answer.exception
    assert answer.exit_code == 0, answer.output
    return answer.output


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return unpack(NAMES[-1], tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_data_of_every_earlier_build_can_be_opened(name: str, tmp_path: Path) -> None:
    data = unpack(name, tmp_path)
    before = snapshot(data)
    assert "can open" in check(data)
    assert snapshot(data) == before


def snapshot(data: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}


def test_an_empty_directory_can_be_opened_and_a_missing_one_is_named(tmp_path: Path) -> None:
    assert "can open" in check(tmp_path)
    with pytest.raises(NotFound, match="no directory"):
        check(tmp_path / "nowhere")


@pytest.mark.parametrize("tell", TELL, ids=lambda tell: tell.__name__)
def test_a_newer_major_version_of_any_file_is_refused_and_a_minor_one_is_not(
    tell: Tell, tmp_path: Path
) -> None:
    newer, slightly_newer = tmp_path / "newer", tmp_path / "slightly"
    for data, majors in ((newer, 1), (slightly_newer, 0)):
        fill(data)
        tell(data, majors, 1)
    with pytest.raises(TooNew, match="use a newer build"):
        check(newer)
    assert "can open" in check(slightly_newer)


def test_a_newer_control_document_is_refused_and_a_damaged_one_named(data: Path) -> None:
    document = max((data / "store" / "control" / "users").iterdir())
    content = document.read_bytes()
    line, _, rest = content.partition(b"\n")
    document.write_bytes(line.replace(b"1", b"7", 1) + b"\n" + rest)
    with pytest.raises(TooNew, match=r"format version 7\.0"):
        check(data)
    document.write_bytes(b"nonsense")
    with pytest.raises(Corrupt, match="users"):
        check(data)
