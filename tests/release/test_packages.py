"""Every package, built from a clean clone, installed in an empty system, used, upgraded and removed.

`LOGBOOM_DIST` names a folder with packages that are tried instead of building them anew.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.golden.directories import LAST_RELEASE, unpack
from tests.release.containers import ContainerService, build_image
from tests.release.roots import InstalledService, Root, give_to, make_root
from tests.release.using import use

from logboom.base.version import __version__

PROJECT = Path(__file__).parents[2]
SUITES = ("bookworm", "trixie")
HAS_MEANS = os.geteuid() == 0 and shutil.which("debootstrap") is not None
pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not HAS_MEANS, reason="needs debootstrap, and root to use it"),
]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if given := os.environ.get("LOGBOOM_DIST"):
        return Path(given)
    clone = clone_project(tmp_path_factory.mktemp("clean"))
    subprocess.run(["make", "binary", "deb"], cwd=clone, check=True)
    return clone / "dist"


def clone_project(folder: Path) -> Path:
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(PROJECT), str(clone)], check=True)
    return clone


@pytest.fixture(params=SUITES)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Root]:
    root = make_root(request.param, PROJECT / "build/roots", tmp_path / "root")
    yield root
    root.delete()


@pytest.fixture
def earlier(dist: Path, tmp_path: Path) -> Path:
    """The Debian package under the number of an earlier version."""
    [package] = dist.glob("*.deb")
    tree = tmp_path / "tree"
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(tree)], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(control.read_text().replace(f"Version: {__version__}", "Version: 0.0.9"))
    made = tmp_path / "logboom_0.0.9.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(made)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return made


def test_one_file(root: Root, dist: Path, tmp_path: Path) -> None:
    program = root.bring(dist / "logboom")
    first = root.run(program, "--version")
    assert first.endswith(f"logboom {__version__}\n")
    assert "unpacking" in first
    assert root.run(program, "--version") == f"logboom {__version__}\n"
    data = unpack(LAST_RELEASE, root.folder)
    assert "can open /data" in root.run(program, "version", "--check", "/data")
    use(InstalledService(root, [program], f"/{data.name}", tmp_path / "log"))


def test_one_file_refuses_a_cache_of_others_and_an_archive_that_is_damaged(
    root: Root, dist: Path
) -> None:
    program = root.bring(dist / "logboom")
    cache = root.folder / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    assert "can be written by others" in root.run(
        program, "--version", status=1, LOGBOOM_CACHE="/cache"
    )
    cache.chmod(0o700)
    os.chown(cache, 1234, 1234)
    assert "belongs to somebody else" in root.run(
        program, "--version", status=1, LOGBOOM_CACHE="/cache"
    )
    with (root.folder / program.lstrip("/")).open("r+b") as file:
        file.seek(-1000, os.SEEK_END)
        file.write(b"damaged")
    assert "is damaged" in root.run(program, "--version", status=1)


def test_debian_package(root: Root, dist: Path, earlier: Path, tmp_path: Path) -> None:
    [package] = dist.glob("*.deb")
    inside = root.bring(package)
    root.run("dpkg", "--install", root.bring(earlier))
    user, group = map(int, root.run("stat", "-c", "%u %g", "/var/lib/logboom").split())
    assert root.run("id", "-u", "logboom").strip() == str(user) != "0"
    settings = root.folder / "etc/logboom/logboom.env"
    settings.write_text(settings.read_text() + "SERVICE_PORT=7301\n")
    upgraded = unpack(LAST_RELEASE, root.folder / "tmp")
    shutil.copytree(upgraded, root.folder / "var/lib/logboom", dirs_exist_ok=True)
    give_to(root.folder / "var/lib/logboom", user, group)
    as_user = ["setpriv", "--reuid=logboom", "--regid=logboom", "--clear-groups"]
    use(InstalledService(root, [*as_user, "logboom"], "/var/lib/logboom", tmp_path / "log"))
    assert f"logboom ({__version__}) over (0.0.9)" in root.run("dpkg", "--install", inside)
    assert "SERVICE_PORT=7301" in settings.read_text(), "what was changed by hand stays"
    assert root.has("/var/lib/logboom/store")
    root.run("dpkg", "--remove", "logboom")
    assert not root.has("/usr/bin/logboom")
    assert root.has("/var/lib/logboom/store")
    assert root.has("/etc/logboom/logboom.env")
    assert "are kept" in root.run("dpkg", "--purge", "logboom")
    assert root.has("/var/lib/logboom/store")
    assert not root.has("/etc/logboom/logboom.env")


def test_container(root: Root, dist: Path, tmp_path: Path) -> None:
    """The steps of the Containerfile, and its program with a read-only root."""
    image = build_image(PROJECT / "deploy/Containerfile", dist.parent, root)
    told = {word: image.said[word] for word in ("USER", "VOLUME", "WORKDIR")}
    assert told == {"USER": "7300:7300", "VOLUME": "/data", "WORKDIR": "/data"}
    assert set(image.list_words("EXPOSE")) == {"7300/tcp", "5514/tcp", "5514/udp"}
    assert "SERVICE_DATA_DIR=/data" in image.list_words("ENV")
    assert image.list_words("CMD") == ["serve"]
    data = unpack(LAST_RELEASE, tmp_path)
    give_to(data, 7300, 7300)
    service = ContainerService(image, data, tmp_path / "log")
    assert service.check_health() != 0
    try:
        service.start()
        assert service.check_health() == 0
    finally:
        service.close()
    use(ContainerService(image, data, tmp_path / "log"))


def test_a_purge_deletes_data_when_that_was_answered(root: Root, dist: Path) -> None:
    [package] = dist.glob("*.deb")
    root.run("dpkg", "--install", root.bring(package))
    answer = "logboom logboom/delete-data boolean true"
    root.run("sh", "-c", f"echo '{answer}' | debconf-set-selections")
    root.run("dpkg", "--purge", "logboom")
    assert not root.has("/var/lib/logboom")
    assert "logboom" not in (root.folder / "etc/passwd").read_text()


def test_a_downgrade_is_refused_with_one_line(root: Root, dist: Path) -> None:
    [package] = dist.glob("*.deb")
    (root.folder / "var/lib/logboom").mkdir()
    (root.folder / "var/lib/logboom/claim").write_text("format=9.0 1")
    said = root.run("dpkg", "--install", root.bring(package), status=1)
    assert "claim has format version 9.0, and this build reads up to 1.0" in said


def test_the_unit_is_hardened() -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=25"]
    unit = str(PROJECT / "deploy/logboom.service")
    done = subprocess.run([*command, unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
