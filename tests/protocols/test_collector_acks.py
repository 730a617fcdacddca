"""Acknowledgement ids: only those that were issued, only on their channel, and on every node."""

from uuid import UUID, uuid4

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples

from logboom.protocols.collector.acks import (
    CODE_BITS,
    COUNT_BITS,
    check_acks,
    is_issued,
    issue_ack,
)

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
channels = st.uuids()


@given(channels)
def test_an_issued_id_is_true_on_its_channel_alone(channel: UUID) -> None:
    ack_id = issue_ack(KEY, channel)
    assert 0 <= ack_id < 2**53
    assert is_issued(KEY, channel, ack_id)
    assert not is_issued(KEY, uuid4(), ack_id)
    assert not is_issued(OTHER_KEY, channel, ack_id)


@settings(max_examples=examples(200))
@given(channels, st.integers() | st.integers(0, 2**53) | st.integers(0, 1000))
def test_made_up_ids_are_false(channel: UUID, ack_id: int) -> None:
    assert not is_issued(KEY, channel, ack_id)


@given(channels, st.integers(0, COUNT_BITS + CODE_BITS - 1))
def test_a_changed_bit_makes_an_id_false(channel: UUID, bit: int) -> None:
    assert not is_issued(KEY, channel, issue_ack(KEY, channel) ^ 1 << bit)


def test_ids_of_a_channel_differ() -> None:
    channel = uuid4()
    ids = {issue_ack(KEY, channel) for _ in range(10_000)}
    assert len(ids) == 10_000
    assert all(check_acks(KEY, channel, ids).values())


def test_ids_are_answered_by_their_text() -> None:
    channel = uuid4()
    ack_id = issue_ack(KEY, channel)
    assert check_acks(KEY, channel, [ack_id, 7, -1, ack_id]) == {
        str(ack_id): True,
        "7": False,
        "-1": False,
    }
    assert check_acks(KEY, channel, []) == {}
