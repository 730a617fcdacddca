"""Documents of newer builds: what they added is kept, and what they changed is refused."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from logboom.base.clock import system_clock
from logboom.base.errors import Corrupt, TooNew
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import AesCipher, Cipher, PlainCipher
from logboom.control.documents.records import Record, RecordsDocument
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents, name_object
from logboom.control.registry.environments import Environments
from logboom.control.registry.leases import Leases
from logboom.control.registry.settings import LiveSettings
from logboom.control.saved.queries import SavedQueries

KEY = bytes(range(32))
CIPHERS = [PlainCipher(), AesCipher(KEY)]


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    number: int = 0


class Thing(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    inner: Inner | None = None
    items: tuple[Inner, ...] = ()


def open_documents(folder: Path, cipher: Cipher | None = None) -> Documents:
    return Documents(LocalObjects(folder), cipher or PlainCipher())


def change_raw(documents: Documents, name: str, **members: object) -> None:
    """Add members to a document, as a newer build would."""
    document = documents.read(name)
    tree = msgspec.json.decode(document.body) if document else {}
    tree.update(members)
    generation = document.generation if document else 0
    documents.write(name, msgspec.json.encode(tree), generation)


def read_raw(documents: Documents, name: str) -> dict[str, object]:
    document = documents.read(name)
    assert document
    tree: dict[str, object] = msgspec.json.decode(document.body)
    return tree


def test_members_that_nobody_knows_survive_every_change(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    newer = {
        "records": {
            "a": {"id": "a", "name": "one", "invented": [1], "inner": {"number": 1, "unit": "s"}},
            "b": {"id": "b", "name": "two", "items": [{"number": 1}]},
            "c": {"id": "c", "name": "three", "invented": {"deep": {"er": None}}},
        },
        "note": "later",
    }
    change_raw(documents, "things", **newer)
    kind = RecordsDocument[Thing]
    snapshot = Snapshot(documents, "things", RecordsDocument(), kind)
    assert snapshot.body.records["a"].inner == Inner(1)

    def rename(document: RecordsDocument[Thing]) -> RecordsDocument[Thing]:
        records = {key: each for key, each in document.records.items() if key != "c"}
        records["a"] = msgspec.structs.replace(records["a"], name="uno")
        return RecordsDocument(records)

    snapshot.edit(rename)
    snapshot.edit(rename)
    assert read_raw(documents, "things") == {
        "records": {
            "a": {
                "id": "a",
                "name": "uno",
                "invented": [1],
                "items": [],
                "inner": {"number": 1, "unit": "s"},
            },
            "b": {"id": "b", "name": "two", "inner": None, "items": [{"number": 1}]},
        },
        "note": "later",
    }


def test_real_documents_of_a_newer_build_are_read_and_kept(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    settings = LiveSettings(documents, {})
    settings.patch({"storage": {"block_flush_rows": 1234}})
    change_raw(documents, "settings", invented={"on": True})
    environments = Environments(documents)
    environments.create("staging", None)
    change_raw(documents, "environments", invented=1)
    SavedQueries(documents, system_clock)
    settings = LiveSettings(documents, {})
    assert settings.stored.storage.block_flush_rows == 1234
    settings.patch({"storage": {"block_flush_rows": 4321}})
    assert read_raw(documents, "settings")["invented"] == {"on": True}
    Environments(documents).create("other", None)
    assert read_raw(documents, "environments")["invented"] == 1


def test_a_change_that_names_an_unknown_setting_is_still_refused(tmp_path: Path) -> None:
    settings = LiveSettings(open_documents(tmp_path), {})
    with pytest.raises(Exception, match="invented"):
        settings.patch({"storage": {"invented": 1}})


def test_a_document_with_a_value_of_the_wrong_type_is_damaged(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    change_raw(documents, "things", records={"a": {"id": "a", "name": 5, "invented": 1}})
    with pytest.raises(Corrupt, match="not a things document"):
        Snapshot(documents, "things", RecordsDocument(), RecordsDocument[Thing])


@pytest.mark.parametrize("cipher", CIPHERS)
def test_a_newer_major_version_is_refused_by_name(tmp_path: Path, cipher: Cipher) -> None:
    documents = open_documents(tmp_path, cipher)
    documents.write("things", b"{}", 0)
    path = tmp_path / name_object("things", 1)
    sealed = path.read_bytes()
    for version in (b"2", b"2.7"):
        path.write_bytes(sealed.replace(b"logboom-control 1 ", b"logboom-control %s " % version))
        with pytest.raises(TooNew, match=r"control/things/0+1 has format version 2\.\d, .* 1\.0"):
            documents.read("things")
    path.write_bytes(b"logboom-control 2 sealed-in-another-way\n\x00\x01")
    with pytest.raises(TooNew):
        documents.read("things")
    path.write_bytes(b"logboom-control 1 sealed-in-another-way\n\x00\x01")
    with pytest.raises(Corrupt, match="does not start like a control document"):
        documents.read("things")


def test_a_newer_minor_version_is_read(tmp_path: Path) -> None:
    documents = open_documents(tmp_path)
    documents.write("things", b'{"a":1}', 0)
    name = name_object("things", 1)
    path = tmp_path / name
    line, body = b"logboom-control 1.3 plain-sha256\n", path.read_bytes().split(b"\n", 2)[2]
    checksum = hashlib.sha256(line + name.encode() + b"\n" + body).hexdigest().encode()
    path.write_bytes(line + checksum + b"\n" + body)
    assert read_raw(documents, "things") == {"a": 1}
    path.write_bytes(path.read_bytes().replace(b"control 1.3", b"control 1.2"))
    with pytest.raises(Corrupt, match="checksum"):
        documents.read("things")


def test_the_version_of_an_encrypted_document_cannot_be_altered(tmp_path: Path) -> None:
    documents = open_documents(tmp_path, AesCipher(KEY))
    documents.write("things", b"{}", 0)
    path = tmp_path / name_object("things", 1)
    path.write_bytes(path.read_bytes().replace(b"control 1 ", b"control 1.3 "))
    with pytest.raises(Corrupt, match="does not decrypt"):
        documents.read("things")


def test_a_lease_of_a_newer_build_is_respected(tmp_path: Path) -> None:
    objects = LocalObjects(tmp_path)
    assert Leases(objects, "alerts", "one", 300.0, system_clock).take("a")
    [path] = (tmp_path / "leases/alerts/a").iterdir()
    path.write_bytes(path.read_bytes().replace(b"{", b'{"invented":1,', 1))
    assert not Leases(objects, "alerts", "two", 300.0, system_clock).take("a")
