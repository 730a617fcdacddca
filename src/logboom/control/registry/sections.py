"""What all sections of the settings have in common."""

import msgspec


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings that belong together; a name that is none of them is refused."""
