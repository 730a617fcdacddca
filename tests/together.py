"""Many small cases in one test: a test for each of them would take longer to set up and to report than to run."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest
from _pytest.mark import ParameterSet

SHOWN_CHARACTERS = 300

Test = Callable[..., None]


def together(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, but makes one test, which tries every case and reports all that fail.

    The cases share the fixtures of the test.
    """
    listed = list(cases)
    assert not any(isinstance(case, ParameterSet) for case in listed), "cases have no marks or ids"
    if isinstance(names, str):
        every = [{names: case} for case in listed]
    else:
        every = [dict(zip(names, case, strict=True)) for case in listed]
    assert every, f"no cases of {names}"

    def decorate(test: Test) -> Test:
        @wraps(test)
        def try_all(**fixtures: Any) -> None:
            failures = [failure for case in every if (failure := try_one(test, case, fixtures))]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(every)} cases", failures)

        vars(try_all)["__signature__"] = leave_out(names, inspect.signature(test))
        return try_all

    return decorate


def try_one(test: Test, case: dict[str, Any], fixtures: dict[str, Any]) -> BaseException | None:
    """Run a case; return its error, to which the case is added as a note."""
    try:
        test(**case, **fixtures)
    except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - reported by the caller
        values = ", ".join(f"{name}={value!r}"[:SHOWN_CHARACTERS] for name, value in case.items())
        failure.add_note(f"with {values}")
        return failure
    return None


def leave_out(names: str | tuple[str, ...], signature: inspect.Signature) -> inspect.Signature:
    """Return the signature without the members of a case: pytest takes the others for fixtures."""
    members = (names,) if isinstance(names, str) else names
    others = [each for name, each in signature.parameters.items() if name not in members]
    return signature.replace(parameters=others)
