"""Index and field names: normalisation, and resolving index templates for each event."""

import re
from collections.abc import Callable, Container
from functools import lru_cache
from typing import NamedTuple

from logboom.base.errors import Invalid

MAX_INDEX_LENGTH = 64
MAX_TEMPLATE_LENGTH = 512
DEFAULT_INDEX = "default"
MESSAGE_FIELD = "message"
UNKNOWN = "unknown"

NOT_ALLOWED = re.compile(r"[^a-z0-9_-]")
WILD = re.compile(r"([*?])")
PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}")


def normalise_index(name: str) -> str:
    """Return an index name in lower case, with only `[a-z0-9_-]` and at most 64 characters."""
    return NOT_ALLOWED.sub("-", name.lower())[:MAX_INDEX_LENGTH]


def normalise_glob(text: str) -> str:
    """Return a normalised index name or glob; `*` and `?` stay."""
    parts = WILD.split(text.strip())
    return "".join(part if part in ("*", "?") else normalise_index(part) for part in parts)


def is_reserved(name: str) -> bool:
    """Return whether an index or environment is one of the service's own."""
    return name.startswith("_")


class IndexTemplate(NamedTuple):
    """An index name with `{{path}}` placeholders: `texts[0] + value(paths[0]) + texts[1] + …`."""

    texts: tuple[str, ...]
    paths: tuple[str, ...]

    def resolve(self, values: tuple[str | None, ...]) -> str:
        """Return the index for the values at `paths`; a missing or empty value is `unknown`."""
        name = self.texts[0]
        for value, text in zip(values, self.texts[1:], strict=True):
            name += (value or UNKNOWN) + text
        return normalise_index(name) or UNKNOWN


@lru_cache(maxsize=1024)
def parse_template(text: str) -> IndexTemplate:
    """Split an `index` parameter into literals and placeholders; senders name the same one again and again."""
    if len(text) > MAX_TEMPLATE_LENGTH:
        raise Invalid(
            f"index is {len(text)} characters long, expected at most {MAX_TEMPLATE_LENGTH}"
        )
    parts = PLACEHOLDER.split(text)
    return IndexTemplate(tuple(parts[0::2]), tuple(parts[1::2]))


@lru_cache(maxsize=1024)
def check_open(template: IndexTemplate) -> None:
    """Refuse a target that is the service's own, whatever the events contain."""
    if not template.paths and is_reserved(template.resolve(())):
        raise Invalid(
            f"index {template.texts[0]!r} is reserved: names that start with _ are the service's own"
        )


class IndexNames:
    """Resolves and numbers the index names of one batch; each distinct combination is computed once."""

    def __init__(self, template: IndexTemplate) -> None:
        self._template = template
        self._ids: dict[tuple[str | None, ...], int] = {}
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []

    def identify(self, values: tuple[str | None, ...]) -> int:
        """Return the number of the index for an event with these placeholder values."""
        found = self._ids.get(values)
        if found is None:
            name = self._template.resolve(values)
            found = self._numbers.setdefault(name, len(self.names))
            if found == len(self.names):
                self.names.append(name)
            self._ids[values] = found
        return found


FoldName = Callable[[str], str]
fold_name: FoldName = str.lower
"""Field names that fold to the same text are one field."""

CORE_FIELDS = ("_time", "_id", "_env", "_index")
"""Fields that the service adds to every event."""
OWN_PREFIX = "event."


def expose_name(name: str, hidden: Container[str] = CORE_FIELDS) -> str:
    """Return the name under which a field of an event is searched and shown.

    It differs from its own name if that is `hidden` by one of the service's fields.
    """
    return OWN_PREFIX + name if fold_name(name) in hidden else name
