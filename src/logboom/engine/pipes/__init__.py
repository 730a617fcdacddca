"""Pipes: each in its own file and of one of three kinds (see `kinds`); all are listed in PIPES."""

from collections.abc import Callable
from typing import Any

from logboom.engine.pipes.choose.dedup import make_dedup
from logboom.engine.pipes.choose.offset import make_offset
from logboom.engine.pipes.choose.page import make_limit
from logboom.engine.pipes.choose.sample import make_sample
from logboom.engine.pipes.choose.sort import make_sort
from logboom.engine.pipes.choose.tail import make_tail
from logboom.engine.pipes.choose.where import make_where
from logboom.engine.pipes.columns.addtotals import make_addtotals
from logboom.engine.pipes.columns.drop import make_drop
from logboom.engine.pipes.columns.fields import make_fields
from logboom.engine.pipes.columns.fillnull import make_fillnull
from logboom.engine.pipes.columns.rename import make_rename
from logboom.engine.pipes.columns.replace import make_replace
from logboom.engine.pipes.columns.xyseries import make_untable, make_xyseries
from logboom.engine.pipes.combine.context import make_context
from logboom.engine.pipes.combine.diff import make_diff
from logboom.engine.pipes.combine.inputlookup import make_inputlookup
from logboom.engine.pipes.combine.join import make_join
from logboom.engine.pipes.combine.lookup import make_lookup
from logboom.engine.pipes.combine.union import make_union
from logboom.engine.pipes.compute.bin import make_bin
from logboom.engine.pipes.compute.eval import make_eval
from logboom.engine.pipes.compute.extract import make_extract
from logboom.engine.pipes.compute.mvexpand import make_mvexpand
from logboom.engine.pipes.compute.rex import make_rex
from logboom.engine.pipes.compute.unpack import make_unpack
from logboom.engine.pipes.compute.when import make_when
from logboom.engine.pipes.explain import make_explain
from logboom.engine.pipes.groups.chart import make_chart
from logboom.engine.pipes.groups.delta import make_delta
from logboom.engine.pipes.groups.eventstats import make_eventstats
from logboom.engine.pipes.groups.patterns import make_patterns
from logboom.engine.pipes.groups.rare import make_rare
from logboom.engine.pipes.groups.stats import make_stats
from logboom.engine.pipes.groups.streamstats import make_streamstats
from logboom.engine.pipes.groups.timechart import make_timechart
from logboom.engine.pipes.groups.top import make_top
from logboom.engine.pipes.groups.transaction import make_transaction
from logboom.engine.pipes.groups.uniq import make_uniq
from logboom.engine.pipes.kinds import AnyPipe, RowPipe
from logboom.engine.terms.conditions import Conditions
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
