"""A request for single sign-on is answered once, by whichever node."""

from pathlib import Path

import pytest

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Overloaded
from logboom.base.stores.local import LocalObjects
from logboom.control.access.signin import answered_requests
from logboom.control.access.signin.answered_requests import AnsweredBefore, AnsweredRequests
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents


class Nodes:
    """Any number of them on one store, with one clock."""

    def __init__(self, root: Path) -> None:
        self._objects = LocalObjects(root)
        self.now_s = 1000

    def open(self) -> AnsweredRequests:
        documents = Documents(self._objects, PlainCipher())
        return AnsweredRequests(documents, lambda: self.now_s * NS_PER_S)


@pytest.fixture
def nodes(tmp_path: Path) -> Nodes:
    return Nodes(tmp_path)


def test_no_node_takes_an_answer_twice(nodes: Nodes) -> None:
    first, second = nodes.open(), nodes.open()
    first.add("_a", 1900)
    second.add("_b", 1900)
    for node in (first, second, nodes.open()):
        for request_id in ("_a", "_b"):
            with pytest.raises(AnsweredBefore):
                node.add(request_id, 1900)


def test_what_is_too_old_is_forgotten_and_makes_room(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answered_requests, "MOST", 2)
    node = nodes.open()
    node.add("_a", 1900)
    node.add("_b", 2000)
    with pytest.raises(Overloaded):
        node.add("_c", 2000)
    nodes.now_s = 1900
    node.add("_c", 2800)
    with pytest.raises(AnsweredBefore):
        node.add("_b", 2800)
