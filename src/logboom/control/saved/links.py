"""Short links: addresses of pages under short names."""

import re
import secrets
from collections.abc import Callable

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Conflict, Invalid, NotFound, TooLarge
from logboom.base.ids import ALPHABET
from logboom.control.access.principal import Principal
from logboom.control.documents.snapshot import Snapshot
from logboom.control.documents.store import Documents

ID_LENGTH = 10
LONGEST_ADDRESS_BYTES = 16 << 10
LINK_BYTES = 128
"""Approximate size of a link beside its address."""
MOST_BYTES_OF_A_SHELF = 1 << 20
"""One shelf per letter of the alphabet; ids are random, so that they fill evenly."""

ID = re.compile(f"[{ALPHABET}]{{{ID_LENGTH}}}")
ADDRESS = re.compile(r"(?:/[a-z][a-z-]*)+(?:\?[!-~]*)?")
"""A path of words and parameters: nothing that leads to another host."""


class Link(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A link; it never changes and grants nobody access."""

    address: str
    owner_id: str
    created_ns: int


class Shelf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The links whose ids start with the same letter, by id."""

    links: dict[str, Link] = {}


class Links:
    """All short links, on shelves: one control document each, read on first use.

    Thread-safe; every method may read the disk.
    """

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._documents = documents
        self._clock = clock
        self._shelves: dict[str, Snapshot[Shelf]] = {}

    def create(self, owner: Principal, address: str) -> str:
        """Return the id of a new link, durable on return; raise TooLarge if there is no room left."""
        check_address(address)
        link = Link(address=address, owner_id=owner.id, created_ns=self._clock())
        link_id = "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))
        self._open_shelf(link_id).edit(put_on_shelf(link_id, link))
        return link_id

    def get(self, link_id: str) -> Link:
        """Return a link; raise NotFound if there is none."""
        # Nothing that a client sends may become the name of an object.
        if ID.fullmatch(link_id):
            shelf = self._open_shelf(link_id)
            # A link that was created on another node may not be known here yet.
            link = shelf.body.links.get(link_id) or shelf.refresh().links.get(link_id)
            if link:
                return link
        raise NotFound(f"no link {link_id[:80]!r}")

    def _open_shelf(self, link_id: str) -> Snapshot[Shelf]:
        letter = link_id[0]
        if letter not in self._shelves:
            snapshot = Snapshot(self._documents, f"links-{letter}", Shelf(), is_followed=False)
            self._shelves.setdefault(letter, snapshot)
        return self._shelves[letter]


def put_on_shelf(link_id: str, link: Link) -> Callable[[Shelf], Shelf]:
    def put(shelf: Shelf) -> Shelf:
        if link_id in shelf.links:
            raise Conflict(f"link {link_id} exists already")
        links = {**shelf.links, link_id: link}
        size_bytes = sum(len(each.address) + LINK_BYTES for each in links.values())
        if size_bytes > MOST_BYTES_OF_A_SHELF:
            most_bytes = MOST_BYTES_OF_A_SHELF * len(ALPHABET)
            raise TooLarge(f"there is no room for more links, expected at most {most_bytes} bytes")
        return Shelf(links)

    return put


def check_address(address: str) -> None:
    size_bytes = len(address.encode())
    if size_bytes > LONGEST_ADDRESS_BYTES:
        raise Invalid(
            f"the address has {size_bytes} bytes, expected at most {LONGEST_ADDRESS_BYTES}",
            field="address",
        )
    if not ADDRESS.fullmatch(address):
        raise Invalid(
            f"the address {address[:80]!r} is not a page, expected a path and parameters such as '/explore?q=failed'",
            field="address",
        )
