"""Nodes say that they are there, for others to see."""

from pathlib import Path

from tests.store.stores import HandClock

from logboom.base.clock import NS_PER_S
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.registry.nodes import FORGOTTEN_NS, Node, Nodes


def open_nodes(root: Path, clock: HandClock) -> Nodes:
    return Nodes(Documents(LocalObjects(root), PlainCipher()), clock)


def test_a_node_is_as_it_was_last_heard_of(tmp_path: Path) -> None:
    clock = HandClock()
    nodes = open_nodes(tmp_path, clock)
    start_ns = clock()
    nodes.announce("one", Node("1.0", start_ns, clock()))
    assert nodes.by_name == {"one": Node("1.0", start_ns, start_ns)}
    clock.time_ns += NS_PER_S
    nodes.announce("one", Node("1.0", start_ns, clock()))
    assert nodes.by_name == {"one": Node("1.0", start_ns, start_ns + NS_PER_S)}


def test_nodes_hear_of_each_other_and_forget_those_long_gone(tmp_path: Path) -> None:
    clock = HandClock()
    one, two = open_nodes(tmp_path, clock), open_nodes(tmp_path, clock)
    one.announce("one", Node("1.0", clock(), clock()))
    two.announce("two", Node("1.1", clock(), clock()))
    assert set(two.by_name) == {"one", "two"}
    clock.time_ns += FORGOTTEN_NS - NS_PER_S
    two.announce("two", Node("1.1", 0, clock()))
    assert set(two.by_name) == {"one", "two"}
    clock.time_ns += NS_PER_S
    two.announce("two", Node("1.1", 0, clock()))
    assert set(two.by_name) == {"two"}
