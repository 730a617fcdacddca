"""How thoroughly a property is tested."""

from hypothesis import settings


def examples(number: int) -> int:
    """`number` in a soak run and a third of it in any other."""
    is_soak = settings.get_current_profile_name() == "soak"
    return number if is_soak else max(1, number // 3)
