"""Secret files: what is accepted, what is refused, and that a missing one is made once."""

import base64
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logboom.base.errors import Invalid
from logboom.control.documents.secrets import read_or_create_secret

SECRET = bytes(range(200, 240))


def write_secret(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_a_missing_file_is_made_private_and_read_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "jwt"
    secret = read_or_create_secret(path)
    assert len(secret) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().strip() == secret.hex()
    assert read_or_create_secret(path) == secret


def test_two_new_secrets_differ(tmp_path: Path) -> None:
    assert read_or_create_secret(tmp_path / "a") != read_or_create_secret(tmp_path / "b")


def test_everybody_who_makes_it_at_the_same_moment_gets_the_same_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        secrets = set(pool.map(read_or_create_secret, [tmp_path / "key"] * 64))
    assert len(secrets) == 1
    assert os.listdir(tmp_path) == ["key"]


@pytest.mark.parametrize(
    "content",
    [
        SECRET,
        SECRET.hex().encode(),
        SECRET.hex().upper().encode() + b"\n",
        base64.b64encode(SECRET),
        b"  " + base64.b64encode(SECRET) + b"\r\n",
    ],
)
def test_raw_hex_and_base64_are_read(tmp_path: Path, content: bytes) -> None:
    assert read_or_create_secret(write_secret(tmp_path / "key", content)) == SECRET


def test_raw_bytes_that_end_like_a_line_are_kept_whole(tmp_path: Path) -> None:
    content = bytes(range(128, 159)) + b"\n"
    assert read_or_create_secret(write_secret(tmp_path / "key", content)) == content


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (b"", 0),
        (SECRET[:31], 31),
        (b"thirty-one characters of text..\n", 31),
    ],
)
def test_a_short_secret_is_refused(tmp_path: Path, content: bytes, size: int) -> None:
    path = write_secret(tmp_path / "key", content)
    with pytest.raises(Invalid, match=f"holds {size} bytes, expected at least 32"):
        read_or_create_secret(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o620])
def test_a_secret_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    path = write_secret(tmp_path / "key", SECRET, mode)
    with pytest.raises(Invalid, match=f"mode {mode:04o}, expected 0600"):
        read_or_create_secret(path)


def test_a_read_only_secret_of_ours_is_accepted(tmp_path: Path) -> None:
    assert read_or_create_secret(write_secret(tmp_path / "key", SECRET, 0o400)) == SECRET


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="is not a regular file"):
        read_or_create_secret(tmp_path)


def test_a_link_to_nowhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(Invalid, match="cannot be used: No such file or directory"):
        read_or_create_secret(path)


def test_a_path_below_a_file_is_refused_in_one_line(tmp_path: Path) -> None:
    blocker = write_secret(tmp_path / "file", b"")
    with pytest.raises(Invalid, match="cannot be used") as caught:
        read_or_create_secret(blocker / "key")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("text", [b"0123456789abcdef" * 2, b"thirty-two characters of secrecy"])
def test_text_that_is_long_enough_as_it_stands_counts_as_it_stands(
    tmp_path: Path, text: bytes
) -> None:
    assert read_or_create_secret(write_secret(tmp_path / "key", text + b"\n")) == text
