"""Ports of test servers."""

import gc

from tests.ports import KEPT, choose_port


def test_any_number_of_ports_can_be_chosen() -> None:
    """Also when one worker runs every test: what it no longer reserves is closed, or the next test would fail for it."""
    ports = [choose_port() for _ in range(2 * KEPT)]
    gc.collect()
    assert len(set(ports[-KEPT:])) == KEPT
