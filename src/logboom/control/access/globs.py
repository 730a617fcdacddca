"""Globs that limit an account, key or token: `*` matches any text, `?` any one character."""

import fnmatch
import re
from collections.abc import Iterable

from logboom.base.errors import Invalid
from logboom.base.structs import InternalStruct
from logboom.model.names import is_reserved, normalise_glob

MOST_GLOBS = 100
LONGEST_GLOB = 128
ANY = "*"

WILDCARDS = {"*": ".*", "?": "[^*]"}
"""Stand-ins for `*` and `?` when one glob is matched against another."""

ENV_GLOB = re.compile(r"[a-z0-9_*?-]{1,64}")
TOOL_GLOB = re.compile(r"[A-Za-z0-9_.*?-]{1,64}")


def matches_any(globs: tuple[str, ...], name: str) -> bool:
    """Return whether one of the globs matches; without globs nothing matches."""
    return ANY in globs or any(fnmatch.fnmatchcase(name, glob) for glob in globs)


def covers_globs(mine: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Return whether everything that the other globs match is certainly matched by mine."""
    return all(any(covers_glob(glob, other) for glob in mine) for other in others)


def covers_glob(glob: str, other: str) -> bool:
    """Return whether every `*` of the other glob falls within a `*` of this one, and every `?` within a `*` or `?`."""
    parts = (WILDCARDS.get(character, re.escape(character)) for character in glob)
    return re.fullmatch("".join(parts), other, re.DOTALL) is not None


class IndexBounds(InternalStruct, frozen=True):
    """The indexes that one of the globs matches; the service's own ones only if `reserved`."""

    globs: tuple[str, ...] = (ANY,)
    reserved: bool = True

    @property
    def is_unlimited(self) -> bool:
        """Whether all indexes except the service's own are included."""
        return ANY in self.globs

    def covers(self, index: str) -> bool:
        return matches_any(self.globs, index) and (self.reserved or not is_reserved(index))


EVERY_INDEX = IndexBounds()


def normalise_index_globs(globs: Iterable[str]) -> tuple[str, ...]:
    """Return the globs normalised like index names, without duplicates; raise Invalid if there are none or too many."""
    normal = tuple(dict.fromkeys(normalise_glob(glob) for glob in globs))
    check_count("indexes", normal)
    for glob in normal:
        if not 0 < len(glob) <= LONGEST_GLOB:
            raise Invalid(
                f"index glob {glob[:80]!r}, expected 1 to {LONGEST_GLOB} characters",
                field="indexes",
            )
    return normal


def check_env_globs(globs: tuple[str, ...]) -> None:
    check_count("envs", globs)
    for glob in globs:
        if not ENV_GLOB.fullmatch(glob):
            raise Invalid(
                f"environment glob {glob[:80]!r}, expected 1 to 64 of a-z 0-9 _ - * ?", field="envs"
            )


def check_tool_globs(globs: tuple[str, ...]) -> None:
    check_count("tools", globs)
    for glob in globs:
        if not TOOL_GLOB.fullmatch(glob):
            raise Invalid(
                f"tool glob {glob[:80]!r}, expected 1 to 64 of A-Z a-z 0-9 _ - . * ?", field="tools"
            )


def check_count(subject: str, globs: tuple[str, ...]) -> None:
    if not 0 < len(globs) <= MOST_GLOBS:
        raise Invalid(
            f"{subject} holds {len(globs)} globs, expected 1 to {MOST_GLOBS}", field=subject
        )
