"""Counts from indexes alone: the same as from the rows themselves."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.pipes.tables import read
from tests.engine.stored import Stored
from tests.together import together

from logboom.engine.blocks.block import Block
from logboom.engine.blocks.block_group import BlockGroup
from logboom.engine.blocks.load import load_block
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.pipes.kinds import MergePipe
from logboom.engine.terms.conditions import Conditions
from logboom.lang import ast

values = st.one_of(
    st.sampled_from(["a", "A", "b", "1"]),
    st.sampled_from([1, 2, 1.0, 2.5, True]),
    st.none(),
)
COUNT = ast.Aggregate("count", name="n")


def stats(*keys: str, aggregate: ast.Aggregate = COUNT) -> MergePipe:
    return make_stats(ast.Stats((aggregate,), tuple(map(ast.Key, keys))), Conditions())


def count_rows(pipe: MergePipe, blocks: list[Block]) -> list[dict[str, Any]]:
    partials = [pipe.compute(load_block(block, pipe.needs(), identity=False)) for block in blocks]
    return read(pipe.finish(pipe.merge(partials)))


def count_by_index(pipe: MergePipe, blocks: list[Block]) -> list[dict[str, Any]] | None:
    table, left = pipe.compute_by_index(BlockGroup(tuple(blocks)))
    return None if table is None or left else read(pipe.finish(pipe.merge([table])))


@settings(deadline=None)
@given(st.lists(st.lists(values, min_size=1, max_size=6), min_size=1, max_size=2))
def test_indexes_count_values_like_the_rows_do(wide: Stored, batches: list[list[Any]]) -> None:
    env = wide.make_env()
    for number, batch in enumerate(batches):
        events = [{"message": "m"} | ({} if v is None else {"X": v}) for v in batch]
        wide.keep(env, events, index=f"index{number}")
    blocks = wide.open_blocks(env)
    for keys in ((), ("x",), ("_index",), ("_env",), ("none",)):
        by_index = count_by_index(stats(*keys), blocks)
        assert by_index is not None
        assert by_index == count_rows(stats(*keys), blocks), keys


LISTED = ("count_uniq", "approx_count_uniq", "values", "min", "max")


@settings(deadline=None)
@given(st.lists(st.lists(values, min_size=1, max_size=6), min_size=1, max_size=2))
def test_indexes_list_values_like_the_rows_do(wide: Stored, batches: list[list[Any]]) -> None:
    env = wide.make_env()
    for batch in batches:
        wide.keep(env, [{"message": "m"} | ({} if v is None else {"X": v}) for v in batch])
    blocks = wide.open_blocks(env)
    wanted = [ast.Aggregate(each, ast.Field("x"), name=each) for each in LISTED]
    pipe = make_stats(ast.Stats(tuple(wanted), ()), Conditions())
    table, left = pipe.compute_by_index(BlockGroup(tuple(blocks)))
    assert len(left) == sum(not block.find_columns("x") for block in blocks)
    of_rows = [pipe.compute(load_block(block, pipe.needs(), identity=False)) for block in left]
    partials = [table, *of_rows] if table else of_rows
    assert read(pipe.finish(pipe.merge(partials))) == count_rows(pipe, blocks)


@together(
    "pipe",
    [
        stats("x", "y"),
        stats("_time"),
        stats("tags"),
        stats(aggregate=ast.Aggregate("sum", ast.Field("x"), name="n")),
        stats(aggregate=ast.Aggregate("mode", ast.Field("x"), name="n")),
        stats(aggregate=ast.Aggregate("count_uniq", ast.Field("tags"), name="n")),
        stats(aggregate=ast.Aggregate("count_uniq", ast.Field("_index"), name="n")),
        stats(aggregate=ast.Aggregate("max", ast.Field("x"), condition=ast.Exists("y"), name="n")),
        stats("y", aggregate=ast.Aggregate("max", ast.Field("x"), name="n")),
        stats(aggregate=ast.Aggregate("count", condition=ast.Exists("x"), name="n")),
        make_stats(ast.Stats((COUNT,), (ast.Key("x", ast.Quantity(10)),)), Conditions()),
    ],
)
def test_what_an_index_does_not_know_is_left_to_the_rows(wide: Stored, pipe: MergePipe) -> None:
    env = wide.make_env()
    wide.keep(env, [{"x": 1, "y": 2, "tags": ["a", "b"]}])
    assert count_by_index(pipe, wide.open_blocks(env)) is None
