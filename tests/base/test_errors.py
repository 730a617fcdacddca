"""Errors come back whole from other processes."""

import copy
import pickle

import pytest

from logboom.base import errors


def list_errors() -> list[errors.LogboomError]:
    made = [
        errors.Corrupt("blocks/a.parquet", 17, "no footer"),
        errors.TooNew("catalog", "9", "2"),
        errors.Overtaken("it was changed"),
    ]
    plain = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, errors.LogboomError)
        and kind not in map(type, made)
    ]
    return [*made, *(kind("a message", field="name") for kind in plain)]


@pytest.mark.parametrize("error", list_errors(), ids=lambda error: type(error).__name__)
def test_an_error_is_the_same_after_a_journey(error: errors.LogboomError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert (back.message, back.data, str(back)) == (error.message, error.data, str(error))
    assert copy.copy(error).message == error.message
