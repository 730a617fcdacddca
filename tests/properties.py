"""How thoroughly a property is tested."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings


def is_soak() -> bool:
    return settings.get_current_profile_name() == "soak"


def examples(number: int) -> int:
    """Return `number` in a soak run, and a fifth of it otherwise."""
    return number if is_soak() else max(1, number // 5)


def every_third(cases: Iterable[object]) -> list[ParameterSet]:
    """Return the parameters for `pytest.mark.parametrize`: every third random case, and all of them in a soak run."""
    return [
        pytest.param(case, marks=[pytest.mark.soak] if place % 3 else [])
        for place, case in enumerate(cases)
    ]
