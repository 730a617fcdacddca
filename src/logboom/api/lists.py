"""Answers that are a JSON array; further information is in headers."""

import json
from collections.abc import Mapping
from typing import TypeVar

from litestar import Response

from logboom.search.answers import Warning_

T = TypeVar("T")


def make_list(
    rows: T, warnings: list[Warning_], headers: Mapping[str, str] | None = None
) -> Response[T]:
    """Return the array; `X-Complete` and `X-Warnings` are present only if something is missing from it."""
    said = {"X-Complete": "false", "X-Warnings": json.dumps(warnings)} if warnings else {}
    return Response(rows, headers={**(headers or {}), **said})
