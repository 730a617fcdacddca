"""How thoroughly a property is tested."""

from hypothesis import settings


def examples(number: int) -> int:
    """`number` in a soak run and half of it in any other, for properties that take seconds."""
    is_soak = settings.get_current_profile_name() == "soak"
    return number if is_soak else number // 2
