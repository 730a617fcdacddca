"""The tail of new blocks: everything once, in order, from where a token says."""

import pytest
from tests.engine.stored import Stored

from logboom.base.errors import Invalid
from logboom.control.access.globs import IndexBounds
from logboom.engine.answers import tail as tail_module
from logboom.engine.answers.tail import Sent, Tail
from logboom.store.expiry import sweep as sweep_module


def take_all(stored: Stored, tail: Tail) -> list[Sent]:
    found: list[Sent] = []
    while chunk := tail.take(stored.store.snapshot()):
        found += chunk
    return found


def list_numbers(sent: list[Sent]) -> list[object]:
    return [each.row["n"] for each in sent]


def make_events(*numbers: int) -> list[dict[str, object]]:
    return [{"timestamp": 1_700_000_000 + number, "n": number} for number in numbers]


def test_only_what_comes_after_the_start_is_sent_the_oldest_first(stored: Stored) -> None:
    env = stored.make_env()
    stored.keep(env, make_events(1))
    tail = Tail(stored.make_finder(env))
    assert take_all(stored, tail) == []
    stored.keep(env, make_events(3, 2))
    stored.keep(env, make_events(0))
    assert list_numbers(take_all(stored, tail)) == [2, 3, 0]
    assert take_all(stored, tail) == []


def test_other_environments_indexes_and_filters_stay_out(stored: Stored) -> None:
    env = stored.make_env()
    finder = stored.make_finder(
        env, "n>1 | eval double = n * 2 | fields n, double", allowed=IndexBounds(("a*",))
    )
    tail = Tail(finder)
    stored.keep(stored.make_env(), make_events(5), index="a")
    stored.add(env, make_events(6), index="b")
    stored.keep(env, make_events(1, 2), index="a")
    assert [each.row for each in take_all(stored, tail)] == [{"n": 2, "double": 4}]


def test_a_token_goes_on_after_the_last_whole_block(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "CHUNK_ROWS", 2)
    env = stored.make_env()
    tail = Tail(stored.make_finder(env))
    stored.keep(env, make_events(1, 2, 3))
    stored.keep(env, make_events(4, 5, 6))
    sent = take_all(stored, tail)
    assert list_numbers(sent) == [1, 2, 3, 4, 5, 6]
    expected = {0: [1, 2, 3, 4, 5, 6], 1: [1, 2, 3, 4, 5, 6], 2: [4, 5, 6], 4: [4, 5, 6], 5: []}
    for place, rest in expected.items():
        again = Tail(stored.make_finder(env), sent[place].token)
        assert list_numbers(take_all(stored, again)) == rest


def test_the_first_token_loses_nothing(stored: Stored) -> None:
    env = stored.make_env()
    stored.keep(env, make_events(1))
    token = Tail(stored.make_finder(env)).token
    stored.keep(env, make_events(2))
    assert list_numbers(take_all(stored, Tail(stored.make_finder(env), token))) == [2]


def test_readers_do_not_know_of_each_other(stored: Stored) -> None:
    env = stored.make_env()
    tails = [Tail(stored.make_finder(env)) for _ in range(2)]
    stored.keep(env, make_events(1))
    assert [list_numbers(take_all(stored, tail)) for tail in tails] == [[1], [1]]


@pytest.mark.parametrize("after", ["x", "0" * 27, "U" * 26, ""])
def test_a_token_that_no_tail_gave_is_refused(wide: Stored, after: str) -> None:
    with pytest.raises(Invalid, match="expected the id of an event that a tail sent"):
        Tail(wide.make_finder("default"), after)


def test_a_pipe_that_needs_all_rows_is_refused(wide: Stored) -> None:
    with pytest.raises(Invalid, match="a tail works on events"):
        Tail(wide.make_finder("default", "* | stats count"))


def compact(stored: Stored, env: str) -> None:
    stored.store.compactor.compact(env.__eq__)


def forget_removed(stored: Stored) -> None:
    """What a node knows of removed blocks once their files are gone."""
    stored.store.catalog.forget(stored.store.snapshot().tombstones)


def test_merged_blocks_are_not_sent_again(stored: Stored) -> None:
    env = stored.make_env()
    stored.keep(env, make_events(1))
    tail = Tail(stored.make_finder(env))
    stored.keep(env, make_events(2))
    stored.keep(env, make_events(3))
    assert list_numbers(take_all(stored, tail)) == [2, 3]
    compact(stored, env)
    assert take_all(stored, tail) == []
    stored.keep(env, make_events(4))
    compact(stored, env)
    assert list_numbers(take_all(stored, tail)) == [4]
    assert take_all(stored, tail) == []


def test_what_was_merged_before_it_was_sent_is_sent_once(stored: Stored) -> None:
    env = stored.make_env()
    stored.keep(env, make_events(1))
    tail = Tail(stored.make_finder(env))
    for number in (2, 3, 4):
        stored.keep(env, make_events(number))
        compact(stored, env)
    stored.keep(env, make_events(5))
    assert list_numbers(take_all(stored, tail)) == [2, 3, 4, 5]
    assert take_all(stored, tail) == []


def test_a_reader_comes_back_to_exactly_what_it_missed_in_merged_blocks(stored: Stored) -> None:
    env = stored.make_env()
    tail = Tail(stored.make_finder(env))
    for number in (1, 2, 3):
        stored.keep(env, make_events(number))
    sent = take_all(stored, tail)
    stored.keep(env, make_events(4))
    compact(stored, env)
    stored.keep(env, make_events(5))
    compact(stored, env)
    for place, rest in {0: [2, 3, 4, 5], 2: [4, 5]}.items():
        again = Tail(stored.make_finder(env), sent[place].token)
        assert list_numbers(take_all(stored, again)) == rest


def test_a_reader_that_comes_back_late_loses_nothing(stored: Stored) -> None:
    env = stored.make_env()
    tail = Tail(stored.make_finder(env))
    for number in (1, 2):
        stored.keep(env, make_events(number))
    first, last = take_all(stored, tail)
    compact(stored, env)
    forget_removed(stored)
    # All that was merged had been sent.
    assert take_all(stored, Tail(stored.make_finder(env), last.token)) == []
    # What was sent and what was not are in one block now: it comes again as a whole.
    again = Tail(stored.make_finder(env), first.token)
    assert list_numbers(take_all(stored, again)) == [1, 2]
    assert again.token == last.token


def test_deleted_events_are_not_sent(stored: Stored) -> None:
    env = stored.make_env()
    tail = Tail(stored.make_finder(env))
    stored.keep(env, make_events(1))
    stored.store.remove_env(env)
    stored.keep(env, make_events(2))
    assert list_numbers(take_all(stored, tail)) == [2]


def test_a_slow_reader_keeps_the_files_of_what_it_has_not_read(
    wide: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "CHUNK_ROWS", 1)
    monkeypatch.setattr(sweep_module, "GRACE_NS", 0)
    env = wide.make_env()
    tail = Tail(wide.make_finder(env))
    wide.keep(env, make_events(1, 2))
    wide.keep(env, make_events(3))
    found = tail.take(wide.store.snapshot())
    compact(wide, env)
    wide.store.sweeper.delete_files()
    assert list_numbers([*found, *take_all(wide, tail)]) == [1, 2, 3]


def test_a_merge_that_makes_several_blocks_is_not_sent_either(wide: Stored) -> None:
    env = wide.make_env()
    tail = Tail(wide.make_finder(env))
    # Events whose values have no single column are kept apart from others.
    doubled = {"timestamp": 1_700_000_001, "n": 1, "_time": "a", "^_time": "b"}
    for number in range(2, 5):
        wide.keep(env, [doubled | {"n": number}])
        wide.keep(env, make_events(10 + number))
    first = list_numbers(tail.take(wide.store.snapshot()))
    token = tail.token
    first += list_numbers(take_all(wide, tail))
    compact(wide, env)
    assert take_all(wide, tail) == []
    again = list_numbers(take_all(wide, Tail(wide.make_finder(env), token)))
    assert again == first[len(first) - len(again) :]
    assert 0 < len(again) < len(first)
