"""Answers that are a JSON array: what is to be known about them beside it stands in headers."""

import json
from collections.abc import Mapping
from typing import TypeVar

from litestar import Response

from logboom.search.answers import Warning_

T = TypeVar("T")


def make_list(
    rows: T, warnings: list[Warning_], headers: Mapping[str, str] | None = None
) -> Response[T]:
    """The array; `X-Complete` and `X-Warnings` are there only when something is missing in it."""
    said = {"X-Complete": "false", "X-Warnings": json.dumps(warnings)} if warnings else {}
    return Response(rows, headers={**(headers or {}), **said})
