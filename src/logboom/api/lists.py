"""Answers that are a JSON array: what is to be known about them beside it stands in headers."""

import json
from collections.abc import Callable, Mapping
from threading import Event
from typing import TypeVar

from litestar import Response

from logboom.api.services import Services
from logboom.engine.blocks.losses import Warning_
from logboom.engine.execution.find import Finder
from logboom.engine.terms.request import Request

T = TypeVar("T")


def ask_for_list(
    services: Services, work: Callable[[Finder], T], request: Request, cancelled: Event
) -> tuple[T, list[Warning_]]:
    """What the work finds, and what it could not read."""

    def ask(finder: Finder) -> tuple[T, list[Warning_]]:
        return work(finder), finder.losses.list_warnings()

    return services.engine.ask(ask, request, cancelled)


def make_list(
    rows: T, warnings: list[Warning_], headers: Mapping[str, str] | None = None
) -> Response[T]:
    """The array; `X-Complete` and `X-Warnings` are there only when something is missing in it."""
    said = {"X-Complete": "false", "X-Warnings": json.dumps(warnings)} if warnings else {}
    return Response(rows, headers={**(headers or {}), **said})
