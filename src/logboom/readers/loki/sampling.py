"""The fields of the newest lines: their types, and how many values each has."""

from collections import Counter
from collections.abc import Collection

from msgspec import field

from logboom.base.patterns import compile_later
from logboom.base.structs import MutableStruct
from logboom.base.texts import write_value
from logboom.model.names import CORE_FIELDS, fold_name
from logboom.readers.loki.asking import Asker
from logboom.readers.loki.moments import DURATION
from logboom.readers.loki.selecting import Selection

DEFAULT_LINES = 1000
MAX_LINES = 5000
SIZE = compile_later(r"[0-9]{1,12}(?:\.[0-9]{1,9})? ?(?:[kKmMgGtTpP]i?)?[bB]")
STRING = "string"
TYPES: dict[type, str] = {bool: "boolean", int: "int", float: "float"}
WRITTEN = {"duration": DURATION, "bytes": SIZE}
"""Types of texts; Grafana converts values of these before it computes with them."""


class SampledField(MutableStruct):
    """What some lines tell of a field."""

    name: str
    lines: int = 0
    values: Counter[tuple[type, str]] = field(default_factory=Counter)
    """How many lines have each value: its type, and how a label has it."""

    def add(self, value: object) -> None:
        self.lines += 1
        for each in value if isinstance(value, list) else (value,):
            self.values[type(each), write_value(each)] += 1

    @property
    def type(self) -> str:
        """The type of most values; texts may all be durations or sizes."""
        counts: Counter[str] = Counter()
        for (kind, _), count in self.values.items():
            counts[TYPES.get(kind, STRING)] += count
        most = max(counts, key=lambda name: counts[name], default=STRING)
        return self._name_texts() if most == STRING else most

    def _name_texts(self) -> str:
        texts = [text for _, text in self.values]
        for name, expression in WRITTEN.items():
            if texts and all(map(expression.fullmatch, texts)):
                return name
        return STRING


def sample_fields(
    asker: Asker, selection: Selection, hidden: Collection[str] = CORE_FIELDS
) -> list[SampledField]:
    """Return the fields of the newest lines without the `hidden` ones, which are folded; the most frequent first."""
    count = asker.asked.read_count("line_limit", DEFAULT_LINES, MAX_LINES)
    from_ns, to_ns = asker.asked.read_range()
    rows = asker.run(asker.make_question(selection.query, from_ns, to_ns, count)).rows
    fields: dict[str, SampledField] = {}
    for row in rows:
        for name, value in row.items():
            folded = fold_name(name)
            if value is not None and folded not in hidden:
                fields.setdefault(folded, SampledField(folded)).add(value)
    return sorted(fields.values(), key=lambda each: (-each.lines, each.name))
