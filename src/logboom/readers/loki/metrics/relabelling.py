"""`label_replace`: a label made from another by a regular expression."""

from collections.abc import Iterator

from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.formats.patterns import compile_search
from logboom.readers.loki.metrics.tree import Relabelling
from logboom.readers.loki.metrics.vectors import (
    SERIES,
    STEP,
    Labels,
    Vectors,
    number_labels,
    translate,
)

MAX_MADE_BYTES = 16 * 1024 * 1024
MAX_DIGITS = 9
NAME = compile_later(r"[a-zA-Z_][a-zA-Z0-9_]*")
REFERENCE = compile_later(r"\$(?:\$|\{(\w+)\}|(\w+))")
CAPTURE = compile_later(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|\((?:\?P?<(?P<name>\w+)>|(?!\?))")


def relabel(vectors: Vectors, node: Relabelling) -> Vectors:
    if not NAME.fullmatch(node.target):
        raise Invalid(f"invalid label name {node.target[:80]!r} in label_replace")
    replacer = Replacer(node)
    changed = [replacer.replace(labels) for labels in vectors.labels]
    distinct, numbers = number_labels(changed)
    frame = vectors.frame.with_columns(translate(numbers).alias(SERIES))
    if frame.select(SERIES, STEP).is_duplicated().any():
        raise Invalid("label_replace makes several series with the same labels")
    return Vectors(distinct, frame, vectors.is_sorted)


class Replacer:
    """Makes a label of many series. The replacement may repeat a group, so the texts are bounded all together."""

    def __init__(self, node: Relabelling) -> None:
        self._node = node
        self._search = compile_search(node.expression, node.expression, whole=True)
        names = name_groups(node.expression)
        self._parts = list(split_replacement(node.replacement, names))
        self._left_bytes = MAX_MADE_BYTES

    def replace(self, labels: Labels) -> Labels:
        """Return the labels with one replaced, or as they are if the expression does not match the whole value."""
        node = self._node
        source = labels.get(node.source, "").encode()
        spans = self._search(source)
        if spans is None:
            return labels
        # A group that did not take part begins at -1.
        groups = [source[begin:end] if begin >= 0 else b"" for begin, end in spans]
        pieces = [
            part if isinstance(part, bytes) else groups[part] if part < len(groups) else b""
            for part in self._parts
        ]
        self._left_bytes -= sum(map(len, pieces))
        if self._left_bytes < 0:
            raise Invalid(f"label_replace makes more than {MAX_MADE_BYTES >> 20} MiB of labels")
        value = b"".join(pieces).decode()
        kept = {name: each for name, each in labels.items() if name != node.target}
        return kept | {node.target: value} if value else kept


def split_replacement(text: str, names: dict[str, int]) -> Iterator[bytes | int]:
    """Yield the texts of a replacement, and between them the numbers of groups; an unknown name stands for nothing."""
    end = 0
    for found in REFERENCE.finditer(text):
        yield text[end : found.start()].encode()
        end = found.end()
        name = found[1] or found[2]
        if name is None:
            yield b"$"
        elif name.isdecimal():
            yield int(name[:MAX_DIGITS])
        elif name in names:
            yield names[name]
    yield text[end:].encode()


def name_groups(expression: str) -> dict[str, int]:
    """Return the numbers of groups that have names."""
    opened = [found for found in CAPTURE.finditer(expression) if found[0].startswith("(")]
    return {found["name"]: number for number, found in enumerate(opened, 1) if found["name"]}
