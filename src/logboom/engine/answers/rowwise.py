"""Checks for answers that need a query whose pipes, if any, work row by row."""

from logboom.base.errors import DeadlineExceeded, Invalid, TooLarge
from logboom.engine.execution.find import Finder
from logboom.engine.pipes.choose.page import Page
from logboom.engine.terms.request import Request
from logboom.lang import ast

COUNT = ast.Stats((ast.Aggregate("count", name="count"),))


def check_rowwise(finder: Finder, request: Request, what: str) -> None:
    """Refuse a prepared request whose pipes do more than change events one by one."""
    pipes = request.query.pipes
    if any(isinstance(pipe, ast.Explain) for pipe in pipes):
        raise Invalid(f"{what} works on events, but explain shows a plan")
    plan = finder.plan(request, Page(0))
    if not plan.is_page:
        name = type(pipes[len(plan.row_pipes)]).__name__.lower()
        raise Invalid(
            f"{what} works on events one by one, but {name} needs all of them, expected pipes such as where, eval "
            "or fields"
        )


def check_complete(finder: Finder) -> None:
    """Raise an error for an incomplete answer, if its form cannot say that it is incomplete."""
    for stop in finder.stops:
        if stop.code in ("timeout", "cancelled"):
            raise DeadlineExceeded(stop.message)
        raise TooLarge(stop.message)
