"""Rotates the control key: seals every document again; interruptions never make one unreadable."""

from logboom.base.errors import Corrupt
from logboom.base.stores.objects import ObjectStore
from logboom.control.documents.cipher import AesCipher, RotatingCipher
from logboom.control.documents.store import Documents


def rotate(objects: ObjectStore, old_key: bytes, new_key: bytes) -> list[str]:
    """Seal every document with the new key, and leave nothing that the old one opens; return the rewritten ones.

    Nothing is changed unless all of them can be read. After an interruption each document can be opened with one of
    the keys: run it again with the same keys. Nobody else may use the store meanwhile.
    """
    new_only = Documents(objects, AesCipher(new_key))
    documents = Documents(objects, RotatingCipher(AesCipher(new_key), AesCipher(old_key)))
    names = documents.list_names()
    for name in names:
        documents.read(name)
    rewritten = [name for name in names if not is_readable(new_only, name)]
    for name in rewritten:
        document = documents.read(name)
        assert document is not None
        documents.write(name, document.body, document.generation)
    for name in names:
        documents.forget_history(name)
    return rewritten


def is_readable(documents: Documents, name: str) -> bool:
    try:
        documents.read(name)
    except Corrupt:
        return False
    return True
