"""What is shown as the text of an event: its message, or the field that stands in for one.

Events are stored as they came. Some shippers put the line elsewhere: Docker and Fluent Bit in `log`, others in `line`,
GELF in `short_message`. The pages have the same rule in `ui/src/explore/events/text.ts`.
"""

from collections.abc import Mapping

from logboom.model.names import MESSAGE_FIELD, fold_name

STAND_INS = ("log", "line", "short_message", "text")
"""Fields that are shown instead of a missing message; the first that has a text."""
LINE_ENDS = "\r\n"


def find_stand_in(event: Mapping[str, object]) -> str | None:
    """The name, as the event spells it, of the field that stands in for its message; None when nothing has to or can."""
    spelled = {fold_name(name): name for name in event}
    if MESSAGE_FIELD in spelled and event[spelled[MESSAGE_FIELD]] is not None:
        return None
    present = (spelled[name] for name in STAND_INS if name in spelled)
    return next((name for name in present if read_text(event[name])), None)


def read_text(value: object) -> str:
    """A text without the end of its line; nothing for what is no text."""
    return value.rstrip(LINE_ENDS) if isinstance(value, str) else ""
