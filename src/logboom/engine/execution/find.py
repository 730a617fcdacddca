"""Runs a request, and the queries inside it, on one snapshot of the store and within one budget."""

from collections.abc import Iterator

from msgspec import field
from msgspec.structs import replace

from logboom.base.errors import Corrupt, DeadlineExceeded
from logboom.base.structs import MutableStruct
from logboom.engine.blocks.block import Block
from logboom.engine.blocks.losses import Losses
from logboom.engine.blocks.scope import SearchScope
from logboom.engine.execution.neighbours import choose_scope, find_around, plan_around, with_places
from logboom.engine.execution.plan import Plan, make_plan
from logboom.engine.execution.run import Cost, Extent, Resources, Run
from logboom.engine.pipes.choose.page import Page
from logboom.engine.pipes.combine.around import Around, make_around
from logboom.engine.pipes.kinds import MergePipe, run_locally
from logboom.engine.rows.detached import detach_few
from logboom.engine.rows.distinct import OBJECT_BYTES
from logboom.engine.rows.memory import reserve
from logboom.engine.rows.size import measure_table
from logboom.engine.rows.table import Table
from logboom.engine.terms.conditions import Conditions
from logboom.engine.terms.limits import Budget, Stop
from logboom.engine.terms.needs import EVERYTHING, NOTHING, Needs
from logboom.engine.terms.request import END_NS, MIN_NS, Request, compile_globs
from logboom.engine.terms.resolve import resolve
from logboom.engine.terms.rewrite import rewrite
from logboom.engine.terms.tree import walk
from logboom.lang import ast
from logboom.model.columns import Scalar
from logboom.model.names import fold_name
from logboom.store.block.info import BlockInfo
from logboom.store.catalog.snapshot import Snapshot


class Finder(MutableStruct):
    """Runs queries in the scope of `request`, and adds up their cost."""

    request: Request
    snapshot: Snapshot
    resources: Resources
    budget: Budget
    runs: list[Run] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)
    piped: Needs = NOTHING
    """The fields that pipes read of events, including those that an earlier pipe has added."""
    _listed: tuple[Request, list[BlockInfo]] | None = None
    """The blocks of the request that was asked about last: warnings are about the same."""

    def prepare(self, request: Request) -> Request:
        """Return the request with its times, inner queries and environments resolved, in its cheapest form."""
        resolved = resolve(request, self._find_values)
        named = list_envs(resolved.query.filter)
        patterns = compile_globs(tuple(format_glob(pattern) for pattern in named))
        envs = [env for env in resolved.allowed_envs if patterns.match(env)]
        return replace(
            resolved,
            query=rewrite(resolved.query),
            envs=tuple(dict.fromkeys((*resolved.envs, *envs))),
        )

    def find(self, request: Request, page: MergePipe, extra: Needs | None = None) -> Table:
        """Return the table of a prepared request; `page` is what it answers if it reduces nothing itself."""
        return self.complete(self.start(request, page, extra), request)

    def complete(self, run: Run, request: Request) -> Table:
        """Return the table of a run that was started for a request."""
        return self.run_rest(run, run.reduce(self.list_blocks(request)))

    def run_rest(self, run: Run, table: Table) -> Table:
        """Return the result of the pipes after the merged one; the memory of the table stays reserved."""
        if not run.plan.rest:
            return table
        finder = replace(self, piped=run.plan.piped)
        with self.budget.working(run.plan.reducer.keyword) as step:
            for pipe in run.plan.rest:
                source_bytes = measure_table(table)
                step.hold(source_bytes)
                if not run.stops and (stop := self.budget.check_time()):
                    raise DeadlineExceeded(f"{stop.message}, before {pipe.keyword}")
                table = detach_few(run_locally(pipe, table, finder), source_bytes)
        return table

    def start(self, request: Request, page: MergePipe, extra: Needs | None = None) -> Run:
        plan = self.plan(request, page)
        if extra:
            text = plan.text and f"{plan.text}{extra}"
            plan = replace(plan, needs=plan.needs | extra, piped=plan.piped | extra, text=text)
        return self.start_plan(plan, request)

    def start_plan(self, plan: Plan, request: Request) -> Run:
        """Return a run of a plan over the blocks and events in the scope of a prepared request."""
        return self._make_run(plan, SearchScope.of_request(widen(request)))

    def _make_run(self, plan: Plan, scope: SearchScope) -> Run:
        run = Run(plan, scope, self.resources, self.budget, losses=self.losses)
        self.runs.append(run)
        return run

    def plan(self, request: Request, page: MergePipe) -> Plan:
        conditions = Conditions(
            *(request.now_ns, request.zone, request.from_ns, request.to_ns),
            tables=request.tables,
            limits=self.budget.limits,
        )
        return make_plan(request.query, conditions, page)

    def list_blocks(self, request: Request) -> list[BlockInfo]:
        """Return the blocks that may have events in the scope of a prepared request, newest first."""
        if self._listed is None or self._listed[0] is not request:
            self._listed = request, self._find_blocks(request)
        return self._listed[1]

    def _find_blocks(self, request: Request) -> list[BlockInfo]:
        blocks = SearchScope.of_request(widen(request)).list_blocks(self.snapshot)
        if request.after is None:
            return blocks
        # Blocks that begin after the cursor belong to earlier pages.
        return [info for info in blocks if info.first_ns <= request.after.time_ns]

    def open_block(self, path: str) -> Block:
        info = self.snapshot.find(path)
        assert info is not None, "rows come from blocks of the snapshot"
        return self.resources.reader.open(info)

    def try_open(self, info: BlockInfo) -> Block | None:
        """Open a block; if it is damaged and has no index, note this for the answer and return None."""
        try:
            return self.resources.reader.open(info)
        except Corrupt as error:
            self.note_loss(info.path, error)
            return None

    def note_loss(self, path: str, error: Corrupt) -> None:
        """Note that a block of the snapshot is damaged."""
        info = self.snapshot.find(path)
        assert info is not None, "only blocks of the snapshot are read"
        # Events around others may be at any time.
        scope = replace(SearchScope.of_request(self.request), from_ns=MIN_NS, to_ns=END_NS)
        self.losses.note(info, error, scope, self.resources.reader)

    def table(self, query: ast.Query) -> Table:
        """Return the rows of another query in the scope of this one, with all their fields."""
        request = self.prepare(replace(self.request, query=query, after=None))
        return self.find(request, Page(self.budget.limits.max_rows), EVERYTHING)

    def around(self, anchors: Table, wanted: ast.Context) -> Table:
        """Return the events just before and after each of those in `anchors`, at any time."""
        anchors = with_places(anchors, self.open_block, self.note_loss)
        around = make_around(anchors, wanted)
        plan = plan_around(around, anchors, self.piped)
        scope = choose_scope(anchors, self.request.allowed)

        def ask(reducer: Around, blocks: list[BlockInfo]) -> Table:
            return self._make_run(replace(plan, reducer=reducer), scope).reduce(blocks)

        return find_around(around, scope.list_blocks(self.snapshot), ask)

    def _find_values(self, node: ast.InQuery) -> tuple[Scalar, ...]:
        """Return what `f:in(query)` compares with: the other query's column of that name, else its first."""
        request = self.prepare(replace(self.request, query=node.query, after=None))
        table = self.find(
            request, Page(self.budget.limits.max_rows), Needs(frozenset({fold_name(node.field)}))
        )
        is_there = fold_name(node.field) in map(fold_name, table.columns)
        name = node.field if table.has_events or is_there else next(iter(table.columns), None)
        with self.budget.working("in"):
            reserve(OBJECT_BYTES * table.height)
            cells = table.read_column(name) if name is not None else []
            values = (value for cell in cells for value in flatten(cell))
            # In Python True equals 1, but they are two values.
            return tuple({(type(value), value): value for value in values}.values())

    @property
    def is_complete(self) -> bool:
        """Whether nothing that was asked for is left out."""
        return not self.stops and not self.losses

    @property
    def stops(self) -> list[Stop]:
        return [stop for run in self.runs for stop in run.stops]

    @property
    def problem(self) -> str | None:
        """Why the cluster left work to this node."""
        return next((run.problem for run in self.runs if run.problem), None)

    @property
    def remarks(self) -> dict[tuple[str, str], int]:
        remarks: dict[tuple[str, str], int] = {}
        for run in self.runs:
            for remark, count in run.remarks.items():
                remarks[remark] = remarks.get(remark, 0) + count
        return remarks

    @property
    def extent(self) -> Extent:
        """What the user may know about the cost: nothing that depends on events they must not see."""
        if self.request.allowed.is_unlimited:
            return self.cost
        return Extent(sum(self.count_reached(run.scope) for run in self.runs))

    def count_reached(self, scope: SearchScope) -> int:
        """Return blocks with events in scope."""
        blocks = map(self.try_open, scope.list_blocks(self.snapshot))
        return sum(scope.reaches(block) for block in blocks if block)

    @property
    def cost(self) -> Cost:
        total = Cost()
        for run in self.runs:
            total.blocks += run.cost.blocks
            total.blocks_skipped += run.cost.blocks_skipped
            total.rows_scanned += run.cost.rows_scanned
            total.bytes_read += run.cost.bytes_read
        return total


def flatten(cell: object) -> Iterator[Scalar]:
    match cell:
        case None:
            return
        case list():
            for each in cell:
                yield from flatten(each)
        case _:
            yield cell  # type: ignore[misc]


def list_envs(filter_: object) -> list[ast.Pattern]:
    """Return the environments that a filter names."""
    return [
        node.pattern
        for node in walk(filter_)
        if isinstance(node, ast.ScopeFilter) and node.kind == "env"
    ]


def format_glob(pattern: ast.Pattern) -> str:
    """Return a pattern of the query as a glob of names."""
    return "".join(
        part.value if isinstance(part, ast.Wildcard) else part.lower().replace("[", "[[]")
        for part in pattern.parts
    )


def widen(request: Request) -> Request:
    """Return the request, including the time before its range if it has a `diff`."""
    spans = [pipe.previous.scaled for pipe in request.query.pipes if isinstance(pipe, ast.Diff)]
    if not spans:
        return request
    to_ns = min(request.to_ns, request.now_ns + 1)
    from_ns = request.from_ns if request.from_ns > MIN_NS else to_ns - int(spans[0])
    return replace(request, from_ns=from_ns - int(max(spans)), to_ns=to_ns)
