"""The common base of all sections of the settings."""

import msgspec


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A section of settings; unknown names are refused."""
