"""Labels: which fields of an event are labels, and how they are named and written.

Events are stored without streams: whatever was a label of a stream is a field like any other. So the labels of an
event are the usual ones that it has, and those that the selector names.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from logboom.base.patterns import compile_later
from logboom.base.structs import InternalStruct
from logboom.base.texts import write_value
from logboom.lang.dialects.logql.pipeline import list_spellings
from logboom.model.names import CORE_FIELDS, fold_name

LABEL_FIELDS = (
    *("service", "service_name", "service.name", "app", "application", "component"),
    *("job", "instance", "host", "hostname", "host.name", "node", "node_name"),
    *("cluster", "region", "environment", "deployment.environment", "env"),
    *("namespace", "pod", "container", "k8s.namespace.name", "k8s.pod.name"),
    *("k8s.container.name", "k8s.cluster.name", "level", "detected_level"),
    *("filename", "source", "stream", "unit"),
)
"""The fields that are labels of every event that has them."""
INDEX, ENV = "index", "env"
PLACES = {INDEX: "_index", ENV: "_env"}
"""Labels for where an event is: its index always, its environment if asked for and it has no such field."""
NOT_ALLOWED = compile_later(r"[^a-zA-Z0-9_]")


@lru_cache(maxsize=4096)
def name_label(field: str) -> str:
    """Return the name of a field's label: only letters, digits and underscores, and not starting with a digit."""
    name = NOT_ALLOWED.sub("_", field) or "_"
    return f"_{name}" if name[0].isdigit() else name


USUAL = {fold_name(field): name_label(fold_name(field)) for field in LABEL_FIELDS}
"""The names of the usual labels by folded field."""


class Sorting(InternalStruct, frozen=True):
    """How the fields of events are divided: names of labels by folded field, and the folded fields that stages make."""

    labels: Mapping[str, str]
    made: frozenset[str]
    shows_env: bool

    def divide(
        self, row: Mapping[str, object], hidden: Iterable[str] = ()
    ) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        """Return labels, structured metadata and made labels of an event, without the `hidden` fields and nulls."""
        labels: dict[str, str] = {}
        metadata: dict[str, str] = {}
        made: dict[str, str] = {}
        index = row.get(PLACES[INDEX])
        if index is not None:
            labels[INDEX] = write_value(index)
        for field, value in row.items():
            folded = fold_name(field)
            if value is None or field in hidden or folded in CORE_FIELDS:
                continue
            if folded in self.made:
                made.setdefault(name_label(field), write_value(value))
            elif label := self.labels.get(folded):
                labels.setdefault(label, write_value(value))
            else:
                metadata.setdefault(name_label(field), write_value(value))
        if self.shows_env and ENV not in labels and row.get(PLACES[ENV]) is not None:
            labels[ENV] = write_value(row[PLACES[ENV]])
        return labels, metadata, made

    @property
    def fields(self) -> tuple[str, ...]:
        """The folded fields of all labels."""
        return tuple(self.labels)


def sort_fields(selected: Sequence[str] = (), made: Sequence[str] = ()) -> Sorting:
    """Return how fields are divided for a query that selects by some labels and makes others."""
    of_stages = frozenset(map(fold_name, made))
    chosen = {fold_name(name): label for label in selected for name in list_spellings(label)}
    labels = USUAL | {field: name_label(label) for field, label in chosen.items()}
    left = {field: label for field, label in labels.items() if field not in of_stages}
    return Sorting(left, of_stages, ENV in selected)
