"""A cluster for each test, and one node of it that has started."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.alerts.guarding import Cluster, Node, clustered

from logboom.control.access.users import User


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with clustered(tmp_path) as started:
        yield started


@pytest.fixture
def node(cluster: Cluster) -> Node:
    return cluster.start()


@pytest.fixture
def ann(node: Node) -> User:
    return node.make_user("ann")
