"""The text that is shown for an event: its message, or another field if it has none.

Events are stored unchanged. Some shippers put the line elsewhere: Docker and Fluent Bit in `log`, others in `line`,
GELF in `short_message`. The pages have the same rule in `ui/src/explore/events/text/text.ts`.
"""

from collections.abc import Mapping

from logboom.model.names import MESSAGE_FIELD, fold_name

STAND_INS = ("log", "line", "short_message", "text")
"""Fields that are shown if there is no message; the first that is a text."""
LINE_ENDS = "\r\n"


def find_stand_in(event: Mapping[str, object]) -> str | None:
    """Return the original name of the field that is shown as the message, or None if not needed or there is none."""
    spelled = {fold_name(name): name for name in event}
    if MESSAGE_FIELD in spelled and event[spelled[MESSAGE_FIELD]] is not None:
        return None
    present = (spelled[name] for name in STAND_INS if name in spelled)
    return next((name for name in present if read_text(event[name])), None)


def read_text(value: object) -> str:
    """Return a text without its line ending; empty if it is not a text."""
    return value.rstrip(LINE_ENDS) if isinstance(value, str) else ""
