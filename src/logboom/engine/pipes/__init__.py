"""Pipes: each in its own file and of one of three kinds (see `kinds`); all listed in PIPES."""

from collections.abc import Callable
from typing import Any

from logboom.engine.conditions import Conditions
from logboom.engine.pipes.addtotals import make_addtotals
from logboom.engine.pipes.bin import make_bin
from logboom.engine.pipes.chart import make_chart
from logboom.engine.pipes.context import make_context
from logboom.engine.pipes.dedup import make_dedup
from logboom.engine.pipes.delta import make_delta
from logboom.engine.pipes.diff import make_diff
from logboom.engine.pipes.drop import make_drop
from logboom.engine.pipes.eval import make_eval
from logboom.engine.pipes.eventstats import make_eventstats
from logboom.engine.pipes.explain import make_explain
from logboom.engine.pipes.extract import make_extract
from logboom.engine.pipes.fields import make_fields
from logboom.engine.pipes.fillnull import make_fillnull
from logboom.engine.pipes.inputlookup import make_inputlookup
from logboom.engine.pipes.join import make_join
from logboom.engine.pipes.kinds import AnyPipe, RowPipe
from logboom.engine.pipes.lookup import make_lookup
from logboom.engine.pipes.mvexpand import make_mvexpand
from logboom.engine.pipes.offset import make_offset
from logboom.engine.pipes.page import make_limit
from logboom.engine.pipes.patterns import make_patterns
from logboom.engine.pipes.rare import make_rare
from logboom.engine.pipes.rename import make_rename
from logboom.engine.pipes.replace import make_replace
from logboom.engine.pipes.rex import make_rex
from logboom.engine.pipes.sample import make_sample
from logboom.engine.pipes.sort import make_sort
from logboom.engine.pipes.stats import make_stats
from logboom.engine.pipes.streamstats import make_streamstats
from logboom.engine.pipes.tail import make_tail
from logboom.engine.pipes.timechart import make_timechart
from logboom.engine.pipes.top import make_top
from logboom.engine.pipes.transaction import make_transaction
from logboom.engine.pipes.union import make_union
from logboom.engine.pipes.uniq import make_uniq
from logboom.engine.pipes.unpack import make_unpack
from logboom.engine.pipes.when import make_when
from logboom.engine.pipes.where import make_where
from logboom.engine.pipes.xyseries import make_untable, make_xyseries
from logboom.lang import ast


def make_conditional(pipe: ast.When, conditions: Conditions) -> AnyPipe:
    changing = PIPES[type(pipe.pipe)](pipe.pipe, conditions)
    assert isinstance(changing, RowPipe), "pipes that change rows see one at a time"
    return make_when(changing, pipe, conditions)


PIPES: dict[type, Callable[[Any, Conditions], AnyPipe]] = {
    ast.Stats: make_stats,
    ast.Timechart: make_timechart,
    ast.Chart: make_chart,
    ast.Bin: make_bin,
    ast.MvExpand: make_mvexpand,
    ast.InputLookup: make_inputlookup,
    ast.AddTotals: make_addtotals,
    ast.XySeries: make_xyseries,
    ast.Untable: make_untable,
    ast.Top: make_top,
    ast.Rare: make_rare,
    ast.Sort: make_sort,
    ast.Limit: make_limit,
    ast.Tail: make_tail,
    ast.Offset: make_offset,
    ast.Fields: make_fields,
    ast.Drop: make_drop,
    ast.Rename: make_rename,
    ast.Where: make_where,
    ast.Eval: make_eval,
    ast.Rex: make_rex,
    ast.Extract: make_extract,
    ast.Unpack: make_unpack,
    ast.Dedup: make_dedup,
    ast.Uniq: make_uniq,
    ast.Join: make_join,
    ast.Union: make_union,
    ast.Lookup: make_lookup,
    ast.Context: make_context,
    ast.Transaction: make_transaction,
    ast.StreamStats: make_streamstats,
    ast.EventStats: make_eventstats,
    ast.Delta: make_delta,
    ast.Patterns: make_patterns,
    ast.FillNull: make_fillnull,
    ast.Replace: make_replace,
    ast.Sample: make_sample,
    ast.Diff: make_diff,
    ast.When: make_conditional,
    ast.Explain: make_explain,
}
