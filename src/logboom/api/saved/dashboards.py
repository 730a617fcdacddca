"""`/api/dashboards`: dashboards of users, private or shared with everybody."""

from typing import Annotated

import msgspec
from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from logboom.api.access import Change, make_etag
from logboom.api.bodies import JsonRequest, list_given
from logboom.api.events.requests import Env, Index
from logboom.api.services import Services
from logboom.base.clock import format_time
from logboom.base.errors import LogboomError
from logboom.control.access.authorise import check_reach
from logboom.control.access.principal import Principal, Reach
from logboom.control.access.reach import choose_indexes
from logboom.control.control import Control
from logboom.control.saved.dashboards import (
    MOST_BYTES_OF_ONE,
    Dashboard,
    Marks,
    Panel,
    Variable,
    list_places,
)
from logboom.control.saved.questions import Settle
from logboom.search.question import Moment, Question

LIMIT_BYTES = 4 * MOST_BYTES_OF_ONE
"""Enough for escapes and whitespace."""
RENAMED = {"from_": "from", "is_shared": "shared"}

IsShared = Annotated[bool, msgspec.Meta(description="Whether everybody may see it.")]
Variables = Annotated[
    tuple[Variable, ...],
    msgspec.Meta(
        description="Variables of the dashboard: `$name` in a query is replaced by the selected value."
    ),
]
Panels = tuple[Panel, ...]
From = Annotated[Moment, msgspec.Meta(description="Start of the time range.")]
To = Annotated[Moment, msgspec.Meta(description="End of the time range, exclusive.")]
RefreshSecs = Annotated[int, msgspec.Meta(description="Seconds between refreshes; 0: no refresh.")]
Ignored = Annotated[
    str | msgspec.UnsetType,
    msgspec.Meta(description="Ignored; allows an answer to be sent back unchanged."),
]


class NewDashboard(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename=RENAMED
):
    """A dashboard to create.

    Extra members of an exported one, such as its `id`, are ignored, so that it can be imported.
    """

    name: str
    description: str = ""
    env: Env = "default"
    index: Index = "*"
    is_shared: IsShared = False
    variables: Variables = ()
    marks: Marks = Marks()
    panels: Panels = ()
    from_: From = "-1h"
    to: To = "now"
    refresh_secs: RefreshSecs = 0
    id: Ignored = msgspec.UNSET
    owner: Ignored = msgspec.UNSET
    created: Ignored = msgspec.UNSET
    updated: Ignored = msgspec.UNSET


IGNORED = ("id", "owner", "created", "updated")


class DashboardChanges(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename=RENAMED
):
    """The members to change; all others keep their values. Panels, variables and marks are replaced as a whole."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET
    env: Env | msgspec.UnsetType = msgspec.UNSET
    index: Index | msgspec.UnsetType = msgspec.UNSET
    is_shared: IsShared | msgspec.UnsetType = msgspec.UNSET
    variables: Variables | msgspec.UnsetType = msgspec.UNSET
    marks: Marks | msgspec.UnsetType = msgspec.UNSET
    panels: Panels | msgspec.UnsetType = msgspec.UNSET
    from_: From | msgspec.UnsetType = msgspec.UNSET
    to: To | msgspec.UnsetType = msgspec.UNSET
    refresh_secs: RefreshSecs | msgspec.UnsetType = msgspec.UNSET


class DashboardAnswer(msgspec.Struct, frozen=True, kw_only=True, rename=RENAMED):
    """A dashboard with its queries in canonical form; `owner` is the name of the user who created it."""

    id: str
    name: str
    description: str
    env: str
    index: str
    is_shared: bool
    variables: tuple[Variable, ...]
    marks: Marks
    panels: tuple[Panel, ...]
    from_: Moment
    to: Moment
    refresh_secs: int
    owner: str
    created: str
    updated: str


def describe(control: Control, dashboard: Dashboard) -> DashboardAnswer:
    owner = control.users.find(dashboard.owner_id)
    return DashboardAnswer(
        id=dashboard.id,
        name=dashboard.name,
        description=dashboard.description,
        env=dashboard.env,
        index=dashboard.index,
        is_shared=dashboard.is_shared,
        variables=dashboard.variables,
        marks=dashboard.marks,
        panels=dashboard.panels,
        from_=dashboard.from_,
        to=dashboard.to,
        refresh_secs=dashboard.refresh_secs,
        owner=owner.username if owner else dashboard.owner,
        created=format_time(dashboard.created_ns),
        updated=format_time(dashboard.updated_ns),
    )


def answer_one(control: Control, dashboard: Dashboard) -> Response[DashboardAnswer]:
    etag = make_etag(control.dashboards.generation)
    return Response(describe(control, dashboard), headers=etag)


def check_owned(writer: Principal, dashboard: Dashboard) -> None:
    """Raise Forbidden if a dashboard of another user reads more than the caller may see."""
    if dashboard.owner_id == writer.id:
        return
    for env, index in list_places(dashboard):
        envs = tuple(part.strip() for part in env.split(","))
        check_reach(writer, Reach(frozenset(), envs, choose_indexes(index)))


def make_settle(services: Services, writer: Principal) -> Settle[Dashboard]:
    """Return a function that makes the queries canonical, and refuses those that the caller may not run."""

    def settle(before: Dashboard | None, after: Dashboard) -> Dashboard:
        known = list_questions(before) if before else []
        # The environment, index and times of the dashboard are checked even if it has no query.
        itself = make_question(after, Panel())
        if itself not in known:
            services.search.check(writer, itself)

        def keep(field: str, question: Question) -> str:
            """Return the query in canonical form, unless it is known to be so; an error names its place."""
            if question in known:
                return question.query
            try:
                return services.search.keep(writer, question).query
            except LogboomError as error:
                error.data["field"] = f"{field}.{error.data.get('field', 'query')}"
                raise

        marks_query = keep("marks", make_question(after, Panel(query=after.marks.query)))
        panel_queries = [
            keep(f"panels[{place}]", make_question(after, panel))
            for place, panel in enumerate(after.panels)
        ]
        return msgspec.structs.replace(
            after,
            marks=msgspec.structs.replace(after.marks, query=marks_query),
            panels=tuple(
                msgspec.structs.replace(panel, query=query)
                for panel, query in zip(after.panels, panel_queries, strict=True)
            ),
        )

    return settle


def list_questions(dashboard: Dashboard) -> list[Question]:
    """Return the queries of a dashboard, and an empty one with its environment, index and times."""
    asked = (Panel(), Panel(query=dashboard.marks.query), *dashboard.panels)
    return [make_question(dashboard, each) for each in asked]


def make_question(dashboard: Dashboard, panel: Panel) -> Question:
    return Question(
        query=panel.query,
        env=panel.env or dashboard.env,
        index=panel.index or dashboard.index,
        from_=dashboard.from_,
        to=dashboard.to,
        variables={each.name: each.default for each in dashboard.variables},
    )


@get(
    "/api/dashboards",
    tags=["dashboards"],
    summary="List the dashboards",
    description="Your own dashboards and the shared ones, oldest first. Keys see the shared ones. The dashboard "
    "of the service itself is for admins only.",
    sync_to_thread=False,
)
def handle_list(
    searcher: NamedDependency[Principal], control: NamedDependency[Control]
) -> Response[list[DashboardAnswer]]:
    etag = make_etag(control.dashboards.generation)
    found = control.dashboards.list_for(searcher)
    return Response([describe(control, each) for each in found], headers=etag)


@get(
    "/api/dashboards/{id:str}",
    tags=["dashboards"],
    summary="Read a dashboard",
    description="404 also for a private dashboard of another user. The answer can be sent to POST to create a copy.",
    sync_to_thread=False,
)
def handle_read(
    id: FromPath[str], searcher: NamedDependency[Principal], control: NamedDependency[Control]
) -> Response[DashboardAnswer]:
    return answer_one(control, control.dashboards.get_for(searcher, id))


@post(
    "/api/dashboards",
    tags=["dashboards"],
    summary="Create or import a dashboard",
    description="Needs a session; the dashboard belongs to the user. Queries are stored in canonical form. An "
    "error in a panel names it, such as `panels[3].query`. 409 if the user has a dashboard of that "
    "name. Sharing a dashboard grants nobody access to more events.",
    request_class=JsonRequest,
    request_max_body_size=LIMIT_BYTES,
)
async def handle_create(
    data: JSONBody[NewDashboard],
    by_account: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[DashboardAnswer]:
    control, writer = by_account.control, by_account.principal
    members = {name: value for name, value in list_given(data).items() if name not in IGNORED}
    create, settle = control.dashboards.create, make_settle(services, writer)
    dashboard = await services.offload.run(create, writer, members, settle)
    by_account.record(
        "dashboard.create", dashboard.name, id=dashboard.id, shared=dashboard.is_shared
    )
    return answer_one(control, dashboard)


@patch(
    "/api/dashboards/{id:str}",
    tags=["dashboards"],
    summary="Change a dashboard",
    description="For the owner, and, if it is shared, for admins and editors who may read what it queries. "
    "Members that are not given keep their values. With `If-Match`: 409 if the dashboards were "
    "changed since.",
    request_class=JsonRequest,
    request_max_body_size=LIMIT_BYTES,
)
async def handle_update(
    id: FromPath[str],
    data: JSONBody[DashboardChanges],
    by_account: NamedDependency[Change],
    services: NamedDependency[Services],
) -> Response[DashboardAnswer]:
    control, writer = by_account.control, by_account.principal
    check_owned(writer, control.dashboards.get_for(writer, id))
    changes, settle = list_given(data), make_settle(services, writer)
    expected = by_account.expected_generation
    update = control.dashboards.update
    dashboard = await services.offload.run(update, writer, id, changes, settle, expected)
    changed = sorted(RENAMED.get(name, name) for name in changes)
    by_account.record("dashboard.update", dashboard.name, id=dashboard.id, changed=changed)
    return answer_one(control, dashboard)


@delete(
    "/api/dashboards/{id:str}",
    tags=["dashboards"],
    summary="Delete a dashboard",
    description="For the owner, and, if it is shared, for admins and editors who may read what it queries.",
)
async def handle_delete(
    id: FromPath[str], by_account: NamedDependency[Change], services: NamedDependency[Services]
) -> None:
    dashboards, writer = by_account.control.dashboards, by_account.principal
    expected = by_account.expected_generation
    check_owned(writer, dashboards.get_for(writer, id))
    dashboard = await services.offload.run(dashboards.delete_by, writer, id, expected)
    by_account.record("dashboard.delete", dashboard.name, id=dashboard.id)


ROUTES: list[HTTPRouteHandler] = [
    handle_list,
    handle_read,
    handle_create,
    handle_update,
    handle_delete,
]
