"""`label_replace`: a label made from another by a regular expression."""

from logboom.base.errors import Invalid
from logboom.base.patterns import compile_later
from logboom.formats.patterns import Search, compile_search
from logboom.readers.loki.metrics.tree import Relabelling
from logboom.readers.loki.metrics.vectors import (
    SERIES,
    STEP,
    Labels,
    Vectors,
    number_labels,
    translate,
)

NAME = compile_later(r"[a-zA-Z_][a-zA-Z0-9_]*")
REFERENCE = compile_later(r"\$(?:\$|\{(\w+)\}|(\w+))")
CAPTURE = compile_later(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|\((?:\?P?<(?P<name>\w+)>|(?!\?))")


def relabel(vectors: Vectors, node: Relabelling) -> Vectors:
    if not NAME.fullmatch(node.target):
        raise Invalid(f"invalid label name {node.target[:80]!r} in label_replace")
    search = compile_search(node.expression, node.expression, whole=True)
    names = name_groups(node.expression)
    changed = [replace_label(labels, node, search, names) for labels in vectors.labels]
    distinct, numbers = number_labels(changed)
    frame = vectors.frame.with_columns(translate(numbers).alias(SERIES))
    if frame.select(SERIES, STEP).is_duplicated().any():
        raise Invalid("label_replace makes several series with the same labels")
    return Vectors(distinct, frame, vectors.is_sorted)


def replace_label(
    labels: Labels, node: Relabelling, search: Search, names: dict[str, int]
) -> Labels:
    """The labels as they are if the expression does not match the whole value."""
    source = labels.get(node.source, "").encode()
    spans = search(source)
    if spans is None:
        return labels

    def find_group(name: str) -> str:
        number = int(name) if name.isdecimal() else names.get(name, len(spans))
        if number >= len(spans) or spans[number][0] < 0:
            return ""
        return source[slice(*spans[number])].decode()

    value = REFERENCE.sub(
        lambda found: "$" if found[0] == "$$" else find_group(found[1] or found[2]),
        node.replacement,
    )
    kept = {name: each for name, each in labels.items() if name != node.target}
    return kept | {node.target: value} if value else kept


def name_groups(expression: str) -> dict[str, int]:
    """The numbers of groups that have names."""
    opened = [found for found in CAPTURE.finditer(expression) if found[0].startswith("(")]
    return {found["name"]: number for number, found in enumerate(opened, 1) if found["name"]}
