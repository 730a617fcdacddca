"""The same promises in a container of Azure Blob Storage; the emulator comes from npm."""

import base64
import hashlib
import hmac
import os
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path

import pytest
from tests.base.promises import PROMISES
from tests.ports import choose_port
from tests.waiting import poll_until

from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.opening import open_objects
from logboom.base.stores.places import parse_place

pytestmark = pytest.mark.soak

EMULATOR = "azurite@3"
ACCOUNT = "devstoreaccount1"
KEY = base64.b64encode(
    b"the key of an account in the tests, which is only on loopback...."
).decode()
CONTAINER = "logs"
VERSION = "2021-12-02"


def create_container(endpoint: str) -> bool:
    """Whether there is a container now."""
    date = formatdate(usegmt=True)
    place = f"/{ACCOUNT}/{ACCOUNT}/{CONTAINER}\nrestype:container"
    signed = "PUT" + "\n" * 12 + f"x-ms-date:{date}\nx-ms-version:{VERSION}\n{place}"
    digest = hmac.new(base64.b64decode(KEY), signed.encode(), hashlib.sha256).digest()
    headers = {
        "x-ms-date": date,
        "x-ms-version": VERSION,
        "Authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}",
        "Content-Length": "0",
    }
    request = urllib.request.Request(
        f"{endpoint}/{CONTAINER}?restype=container", headers=headers, method="PUT"
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return bool(answer.status == 201)
    except OSError:
        return False


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("azure")
    subprocess.run(["npm", "install", "--silent", "--prefix", root, EMULATOR], check=True)
    port = choose_port()
    options = ["--location", str(root / "data"), "--blobPort", str(port), "--silent"]
    command = [str(root / "node_modules/.bin/azurite-blob"), *options, "--skipApiVersionCheck"]
    environment = {**os.environ, "AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}
    process = subprocess.Popen([*command, "--disableTelemetry"], env=environment)
    endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
    try:
        poll_until(lambda: create_container(endpoint), "the emulator to be ready")
        yield endpoint
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def objects(endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", KEY)
    monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", endpoint)
    monkeypatch.setenv("AZURE_ALLOW_HTTP", "true")
    return open_objects(parse_place(f"az://{CONTAINER}/{tmp_path.name}"), tmp_path, 1 << 20)


def test_a_container_passes_the_check(objects: ObjectStore) -> None:
    objects.check()


@pytest.mark.parametrize("promise", PROMISES)
def test_a_container_keeps_every_promise(
    promise: Callable[[ObjectStore], None], objects: ObjectStore
) -> None:
    promise(objects)
