"""How thoroughly a property is tested."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings


def examples(number: int) -> int:
    """`number` in a soak run and a third of it in any other."""
    is_soak = settings.get_current_profile_name() == "soak"
    return number if is_soak else max(1, number // 3)


def every_third(cases: Iterable[object]) -> list[ParameterSet]:
    """For `pytest.mark.parametrize`: every third of cases that were made at random, and the others in a soak run."""
    return [
        pytest.param(case, marks=[pytest.mark.soak] if place % 3 else [])
        for place, case in enumerate(cases)
    ]
