"""The plan: few blocks, few rewrites, and an end, whatever arrives and in whatever order."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties import examples
from tests.store.compaction.simulated import START_NS, Simulated, make_block

from logboom.base.clock import NS_PER_DAY, NS_PER_S
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import change_days
from logboom.store.compaction.plan import FOREVER_NS, Limits, choose_blocks, plan_merges

MINUTE_NS = 60 * NS_PER_S
BUSY_NS = 0
LIMITS = Limits()
MOST_BLOCKS = 60
"""What a day may have while it receives data: fewer than `fan_in` blocks a tier, and what makes up a full one."""
MOST_REWRITES = 12


def choose(*blocks: BlockInfo, quiet_ns: int = BUSY_NS) -> list[BlockInfo]:
    return list(choose_blocks(blocks, quiet_ns, LIMITS, lambda _: True))


def test_a_day_of_trickle_stays_small_and_settles_at_a_few_blocks() -> None:
    simulated = Simulated()
    for flush in range(17_280):
        simulated.now_ns = START_NS + flush * 5 * NS_PER_S
        simulated.flush(50)
        if flush % 4 == 0:
            simulated.settle()
    assert simulated.most_blocks <= 45
    assert simulated.rewritten <= 6 * simulated.rows
    simulated.now_ns += LIMITS.quiet_ns + NS_PER_S
    simulated.settle()
    assert simulated.count_most() <= 12
    simulated.now_ns += LIMITS.settled_ns + NS_PER_S
    simulated.settle()
    assert simulated.count_most() <= 2
    assert simulated.rewritten <= 7 * simulated.rows
    assert sum(block.rows for block in simulated.list_blocks()) == simulated.rows


def test_fast_ingest_is_rewritten_once() -> None:
    simulated = Simulated()
    for _ in range(400):
        simulated.now_ns += NS_PER_S
        simulated.flush(50_000)
        simulated.settle()
    assert simulated.rewritten <= simulated.rows
    assert simulated.count_most() <= 20_000_000 // 500_000 + 10


def test_blocks_wait_for_a_full_one_if_it_takes_few_of_them() -> None:
    assert choose(*(make_block(30_000) for _ in range(16))) == []
    assert len(choose(*(make_block(30_000) for _ in range(17)))) == 17
    assert len(choose(*(make_block(20_000) for _ in range(8)))) == 8
    simulated = Simulated()
    for _ in range(400):
        simulated.now_ns += 5 * NS_PER_S
        simulated.flush(25_000)
        simulated.settle()
    assert simulated.rewritten <= simulated.rows
    assert simulated.count_most() <= 10_000_000 // 500_000 + 24


def test_a_backlog_is_merged_by_many_at_once() -> None:
    simulated = Simulated()
    blocks = [make_block(50, START_NS + flush * 5 * NS_PER_S) for flush in range(6_000)]
    simulated.days = change_days({}, blocks, [])
    simulated.rows = 50 * len(blocks)
    simulated.now_ns += NS_PER_DAY + LIMITS.quiet_ns
    simulated.settle()
    assert simulated.count_most() <= 12
    assert simulated.rewritten <= 4 * simulated.rows


def test_full_blocks_are_left_alone() -> None:
    full = [make_block(500_000), make_block(10, size_bytes=64 << 20), make_block(1_000_000)]
    assert choose(*full, quiet_ns=FOREVER_NS) == []
    assert choose(*full, make_block(5), quiet_ns=FOREVER_NS) == []


def test_blocks_of_one_tier_wait_for_each_other() -> None:
    seven = [make_block(50, START_NS + number) for number in range(7)]
    assert choose(*seven) == []
    assert len(choose(*seven, make_block(50))) == 8
    assert choose(*seven, make_block(5_000)) == []


def test_the_oldest_events_come_first() -> None:
    blocks = [make_block(50, START_NS + number * NS_PER_S) for number in range(300)]
    mixed = Random(1).sample(blocks, len(blocks))
    assert choose(*mixed) == blocks[: LIMITS.max_inputs]


def test_what_a_quiet_day_has_left_over_is_merged_unless_it_adds_too_little() -> None:
    blocks = [make_block(rows) for rows in (100, 100, 150, 40_000)]
    assert choose(*blocks) == []
    assert sorted(block.rows for block in choose(*blocks, quiet_ns=LIMITS.quiet_ns)) == [
        *(100, 100, 150)
    ]
    assert len(choose(*blocks, quiet_ns=LIMITS.settled_ns)) == 4


def test_a_straggler_is_folded_in_eventually_but_not_without_end() -> None:
    day = [make_block(400_000, level=1), make_block(5)]
    assert choose(*day, quiet_ns=LIMITS.quiet_ns) == []
    assert len(choose(*day, quiet_ns=LIMITS.settled_ns)) == 2
    often = [make_block(400_000, level=LIMITS.max_level), make_block(5)]
    assert choose(*often, quiet_ns=FOREVER_NS) == []


def test_late_data_is_planned_for_again() -> None:
    simulated = Simulated()
    day = START_NS // NS_PER_DAY
    simulated.flush(450_000)
    simulated.now_ns += 20 * NS_PER_DAY
    simulated.settle()
    for _ in range(40):
        simulated.now_ns += MINUTE_NS
        simulated.flush(20, day=day)
        simulated.settle()
    assert simulated.rewritten < 5_000, "the large block is not rewritten for each late one"
    simulated.now_ns += 2 * NS_PER_DAY
    simulated.settle()
    assert simulated.count_most() == 1


def test_one_late_block_every_hour_does_not_rewrite_the_day_for_ever() -> None:
    simulated = Simulated()
    day = START_NS // NS_PER_DAY
    simulated.flush(450_000)
    for _ in range(24 * 60):
        simulated.now_ns += 60 * MINUTE_NS
        simulated.flush(3, day=day)
        simulated.settle()
    assert simulated.rewritten <= MOST_REWRITES * simulated.rows
    assert simulated.count_most() <= 20


def test_damaged_blocks_are_left_out() -> None:
    blocks = [make_block(50, START_NS + number) for number in range(9)]
    chosen = choose_blocks(blocks, BUSY_NS, LIMITS, lambda block: block != blocks[3])
    assert chosen == (*blocks[:3], *blocks[4:])
    assert choose_blocks(blocks, BUSY_NS, LIMITS, lambda block: block in blocks[:7]) == ()


def test_blocks_of_nodes_that_are_gone_are_merged_too() -> None:
    blocks = [make_block(50, START_NS + number, node=f"{number:08}") for number in range(8)]
    assert choose(*blocks) == blocks


def test_the_fullest_day_comes_first() -> None:
    blocks = [make_block(50, env=env) for env in ["a"] * 8 + ["b"] * 20 + ["c"] * 9]
    merges = plan_merges(change_days({}, blocks, []), START_NS, LIMITS, lambda _: True)
    assert [(merge.env, len(merge.blocks)) for merge in merges] == [("b", 20), ("c", 9), ("a", 8)]


@pytest.mark.parametrize("years", [-1, 1])
def test_a_clock_that_was_wrong_does_not_keep_a_day_from_being_merged(years: int) -> None:
    blocks = [make_block(50, START_NS), make_block(50, START_NS + 1)]
    now_ns = START_NS + years * 365 * NS_PER_DAY
    assert len(plan_merges(change_days({}, blocks, []), now_ns, LIMITS, lambda _: True)) == 1


FLUSHES = st.lists(
    st.tuples(
        st.sampled_from([1, 1, 3, 50, 1_000, 50_000, 400_000]),
        st.sampled_from([0, 5, 60, 1_000, 4_000, 90_000]),
        st.sampled_from([0, 0, 0, 1, 5]),
        st.sampled_from(["a", "b"]),
    ),
    max_size=300,
)
"""Rows, seconds after the one before, how many days late, environment."""


@settings(max_examples=examples(60))
@given(FLUSHES, st.integers(1, 20))
def test_any_history_settles_with_few_blocks_and_few_rewrites(
    flushes: list[tuple[int, int, int, str]], every: int
) -> None:
    simulated = Simulated()
    for number, (rows, seconds, late, env) in enumerate(flushes):
        simulated.now_ns += seconds * NS_PER_S
        simulated.flush(rows, env=env, day=simulated.now_ns // NS_PER_DAY - late)
        if number % every == 0:
            simulated.settle()
    simulated.settle()
    assert sum(block.rows for block in simulated.list_blocks()) == simulated.rows
    assert simulated.rewritten <= MOST_REWRITES * simulated.rows
    full = sum(block.rows >= LIMITS.rows // 2 for block in simulated.list_blocks())
    assert simulated.most_blocks <= MOST_BLOCKS + full
    simulated.settle_for_ever()
    assert simulated.plan() == []
    for days in simulated.days.values():
        for day in days.values():
            left = [block for block in day.blocks if block.rows < LIMITS.rows // 2]
            assert len(left) <= 3


@given(st.permutations([make_block(rows) for rows in (1, 2, 3, 50, 50, 60, 900, 70_000)]))
def test_the_order_in_which_blocks_are_listed_does_not_matter(blocks: list[BlockInfo]) -> None:
    for quiet_ns in (BUSY_NS, LIMITS.quiet_ns, LIMITS.settled_ns):
        assert choose(*blocks, quiet_ns=quiet_ns) == choose(*blocks[::-1], quiet_ns=quiet_ns)
