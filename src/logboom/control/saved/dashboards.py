"""Dashboards: panels on a grid that share a time range and variables, each with a query."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec

from logboom.base.clock import Clock
from logboom.base.errors import Invalid, TooLarge
from logboom.base.ids import make_ulid
from logboom.control.access.principal import Principal
from logboom.control.documents.records import apply_changes, check_label
from logboom.control.documents.store import Documents
from logboom.control.registry.environments import DEFAULT_ENVIRONMENT
from logboom.control.saved.questions import (
    LONGEST_NAME,
    LONGEST_QUERY_BYTES,
    Owned,
    Quota,
    Settle,
    check_length,
    check_quota,
)
from logboom.control.saved.shared import SharedRecords
from logboom.model.names import is_reserved

MOST_OF_AN_OWNER = 200
MOST_BYTES_OF_AN_OWNER = 8 << 20
MOST_BYTES = 32 << 20
MOST_BYTES_OF_ONE = 1 << 20
MOST_PANELS = 100
MOST_VARIABLES = 20
MOST_CHART_BYTES = 32 << 10
COLUMNS = 24
"""Width of the grid."""
MOST_ROWS, HIGHEST_PANEL = 10_000, 100
SHORTEST_REFRESH_SECS, LONGEST_REFRESH_SECS = 5, 86_400

Moment = str | int | float | None
VariableName = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}\Z",
        description="A letter, then letters, digits and `_`.",
    ),
]
VariableValue = Annotated[str, msgspec.Meta(max_length=2_000)]
Column = Annotated[
    int, msgspec.Meta(ge=0, lt=COLUMNS, description=f"Column, from 0 to {COLUMNS - 1}.")
]
Row = Annotated[int, msgspec.Meta(ge=0, le=MOST_ROWS, description="Row; 0 is at the top.")]
Width = Annotated[int, msgspec.Meta(ge=1, le=COLUMNS, description="In columns.")]
Height = Annotated[int, msgspec.Meta(ge=1, le=HIGHEST_PANEL, description="In rows.")]


class Variable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A variable of a dashboard. `$name` in queries is replaced by a value of the field that the reader selects."""

    name: VariableName
    field: Annotated[str, msgspec.Meta(description="Field whose values can be selected.")]
    default: Annotated[
        VariableValue, msgspec.Meta(description="Initial value; empty or `*`: any.")
    ] = ""


class Panel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A query and how its answer is shown. Empty `env` and `index` are those of the dashboard."""

    title: str = ""
    query: str = ""
    chart: Annotated[
        dict[str, Any],
        msgspec.Meta(description="How it is drawn, such as `kind` and `unit`; stored as it is."),
    ] = {}
    x: Column = 0
    y: Row = 0
    w: Width = COLUMNS // 2
    h: Height = 8
    env: Annotated[str, msgspec.Meta(description="Empty: that of the dashboard.")] = ""
    index: Annotated[str, msgspec.Meta(description="Empty: that of the dashboard.")] = ""


class Marks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every chart over time marks: the events of a query, such as deploys, and alerts that fired."""

    query: Annotated[
        str,
        msgspec.Meta(description="Asked of the dashboard's environment and index; empty: none."),
    ] = ""
    alerts: Annotated[bool, msgspec.Meta(description="Whether to mark when alerts fired.")] = False


CHANGEABLE = frozenset(
    {
        *("name", "description", "is_shared", "variables", "marks", "panels"),
        *("env", "index", "from_", "to", "refresh_secs"),
    }
)


class Dashboard(Owned, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A dashboard with canonical queries. It grants no access: its queries run with the permissions of the reader."""

    description: str = ""
    env: str = DEFAULT_ENVIRONMENT
    index: str = "*"
    is_shared: bool = False
    variables: tuple[Variable, ...] = ()
    marks: Marks = Marks()
    panels: tuple[Panel, ...] = ()
    from_: Moment = "-1h"
    to: Moment = "now"
    refresh_secs: int = 0

    @property
    def size_bytes(self) -> int:
        """Approximate size when stored."""
        return len(msgspec.json.encode(self))


class Dashboards(SharedRecords[Dashboard]):
    """All dashboards. Callers must check that their queries can be run."""

    shared_member = "shared"

    def __init__(self, documents: Documents, clock: Clock) -> None:
        super().__init__(documents, "dashboards", Dashboard, check_dashboards)
        self._clock = clock

    def is_visible(self, record: Dashboard, reader: Principal) -> bool:
        """Return whether a principal may see it; the dashboard about the service is for readers of the self-log."""
        return super().is_visible(record, reader) and (
            reader.is_admin or not is_reserved(record.env)
        )

    def create(
        self, owner: Principal, members: Mapping[str, object], settle: Settle[Dashboard]
    ) -> Dashboard:
        """Create a dashboard; raise Conflict if the owner has another of that name."""
        requested = self._make(owner.id, owner.name, members)
        dashboard = check_dashboard(settle(None, requested))
        self._add(dashboard)
        return dashboard

    def create_first(self, owner: str, members: Mapping[str, object]) -> None:
        """Create a dashboard without an owner if there has never been one; raise Conflict otherwise."""
        self._create_first(self._make("", owner, members))

    def _make(self, owner_id: str, owner: str, members: Mapping[str, object]) -> Dashboard:
        now_ns = self._clock()
        blank = Dashboard(
            id=make_ulid(now_ns),
            owner_id=owner_id,
            owner=owner,
            created_ns=now_ns,
            updated_ns=now_ns,
        )
        return change_dashboard(blank, members)

    def update(
        self,
        writer: Principal,
        dashboard_id: str,
        changes: Mapping[str, object],
        settle: Settle[Dashboard],
        expected_generation: int | None = None,
    ) -> Dashboard:
        """Replace the members named in `changes`; only the owner may unshare it."""

        def change(dashboard: Dashboard) -> Dashboard:
            return check_dashboard(settle(dashboard, change_dashboard(dashboard, changes)))

        return self._change_by(writer, dashboard_id, change, expected_generation)


def change_dashboard(dashboard: Dashboard, changes: Mapping[str, object]) -> Dashboard:
    return check_dashboard(apply_changes(dashboard, changes, CHANGEABLE))


def check_dashboard(dashboard: Dashboard) -> Dashboard:
    """Return the dashboard; raise Invalid if a part of it is too long or outside the grid."""
    check_label("dashboard", dashboard.name, LONGEST_NAME)
    for name in ("description", "env", "index"):
        check_length(name, getattr(dashboard, name))
    for name in ("from_", "to"):
        check_length(name.rstrip("_"), str(getattr(dashboard, name)))
    check_refresh(dashboard.refresh_secs)
    check_variables(dashboard.variables)
    check_size("marks.query", dashboard.marks.query.encode(), LONGEST_QUERY_BYTES)
    check_number("panels", dashboard.panels, MOST_PANELS)
    for place, panel in enumerate(dashboard.panels):
        check_panel(f"panels[{place}]", panel)
    if dashboard.size_bytes > MOST_BYTES_OF_ONE:
        raise TooLarge(
            f"the dashboard has {dashboard.size_bytes} bytes, expected at most {MOST_BYTES_OF_ONE}"
        )
    return dashboard


def check_refresh(refresh_secs: int) -> None:
    if refresh_secs and not SHORTEST_REFRESH_SECS <= refresh_secs <= LONGEST_REFRESH_SECS:
        raise Invalid(
            f"refresh_secs {refresh_secs}, expected 0 for never, or {SHORTEST_REFRESH_SECS} to {LONGEST_REFRESH_SECS}",
            field="refresh_secs",
        )


def check_variables(variables: tuple[Variable, ...]) -> None:
    check_number("variables", variables, MOST_VARIABLES)
    names: set[str] = set()
    for place, variable in enumerate(variables):
        field = f"variables[{place}]"
        if variable.name in names:
            raise Invalid(f"there are two variables {variable.name!r}", field=f"{field}.name")
        names.add(variable.name)
        if not variable.field.strip():
            raise Invalid("a variable without a field", field=f"{field}.field")
        check_length(f"{field}.field", variable.field)


def check_panel(field: str, panel: Panel) -> None:
    for name in ("title", "env", "index"):
        check_length(f"{field}.{name}", getattr(panel, name))
    if panel.x + panel.w > COLUMNS:
        raise Invalid(
            f"a panel at column {panel.x} is {panel.w} wide, expected it to end within {COLUMNS} columns",
            field=f"{field}.w",
        )
    check_size(f"{field}.query", panel.query.encode(), LONGEST_QUERY_BYTES)
    check_size(f"{field}.chart", msgspec.json.encode(panel.chart), MOST_CHART_BYTES)


def check_size(field: str, content: bytes, most_bytes: int) -> None:
    if len(content) > most_bytes:
        raise Invalid(
            f"{field} has {len(content)} bytes, expected at most {most_bytes}", field=field
        )


def check_number(field: str, items: tuple[object, ...], most: int) -> None:
    if len(items) > most:
        raise Invalid(f"there are {len(items)} {field}, expected at most {most}", field=field)


def check_dashboards(dashboards: Mapping[str, Dashboard]) -> None:
    quota = Quota("dashboard", "dashboards", MOST_OF_AN_OWNER, MOST_BYTES_OF_AN_OWNER, MOST_BYTES)
    check_quota(dashboards, quota)


def list_places(dashboard: Dashboard) -> Iterable[tuple[str, str]]:
    """Return the environments and indexes that its panels search, each pair once."""
    pairs = (
        (panel.env or dashboard.env, panel.index or dashboard.index) for panel in dashboard.panels
    )
    return dict.fromkeys([(dashboard.env, dashboard.index), *pairs])
