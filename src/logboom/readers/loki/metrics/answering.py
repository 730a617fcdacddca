"""Answers metric queries: the values of series over a range of time, or at one time."""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal

import msgspec
from msgspec.structs import replace

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Invalid
from logboom.readers.loki.asking import Asker
from logboom.readers.loki.metrics.operations import Operand, operate
from logboom.readers.loki.metrics.ranges import evaluate_range
from logboom.readers.loki.metrics.reading import read_metric
from logboom.readers.loki.metrics.relabelling import relabel
from logboom.readers.loki.metrics.tree import (
    RANGE_FUNCTIONS,
    Aggregation,
    Constant,
    Node,
    Number,
    Operation,
    Range,
    Relabelling,
    Sorted,
)
from logboom.readers.loki.metrics.vectors import (
    SERIES,
    STEP,
    VALUE,
    Labels,
    Steps,
    Vectors,
    aggregate,
    make_constant,
    order,
)
from logboom.readers.loki.moments import read_moment, show_seconds
from logboom.readers.loki.replies import succeed
from logboom.web.reply import Reply

MAX_STEPS = 11_000
MAX_SERIES = 500
STEPS_WANTED = 250
MAX_WHOLE = 2**53
"""Whole numbers up to this are shown as such."""


def answer_matrix(asker: Asker, text: str) -> Reply:
    """Answer with the values of every series over a range of time."""
    steps = read_steps(asker)
    found = Evaluation(asker, steps).evaluate(read_metric(text))
    vectors = found if isinstance(found, Vectors) else make_constant(found, steps)
    return show_matrix(asker, vectors, steps)


def answer_vector(asker: Asker, text: str) -> Reply:
    """Answer with the values of every series at one time."""
    time = asker.asked.find("time")
    time_ns = read_moment(time, "time") if time else asker.asked.now_ns
    found = Evaluation(asker, Steps(time_ns, NS_PER_S, 1)).evaluate(read_metric(text))
    if isinstance(found, Vectors):
        return show_vector(asker, found, time_ns)
    number = [show_seconds(time_ns), show_value(found)]
    return succeed({"resultType": "scalar", "result": number, "stats": {}})


def show_matrix(asker: Asker, vectors: Vectors, steps: Steps) -> Reply:
    check_series(vectors)
    times = [show_seconds(steps.time_of(step)) for step in range(steps.count)]
    # Encoded one by one, because points take several times the memory of their text.
    encoded = {
        order_labels(vectors.labels[series]): encode_line(
            vectors.labels[series], times, found, values
        )
        for series, found, values in list_series(vectors)
    }
    result = [encoded[labels] for labels in sorted(encoded)]
    return succeed({"resultType": "matrix", "result": result, "stats": {}}, asker.warnings)


def encode_line(
    labels: Labels, times: Sequence[int | float], steps: list[int], values: list[float]
) -> msgspec.Raw:
    points = [(times[step], show_value(value)) for step, value in zip(steps, values, strict=True)]
    return msgspec.Raw(msgspec.json.encode({"metric": labels, "values": points}))


def list_series(vectors: Vectors) -> Iterator[tuple[int, list[int], list[float]]]:
    """Return the steps and values of each series that has some."""
    ordered = vectors.frame.sort(SERIES, STEP)
    return ordered.group_by(SERIES, maintain_order=True).agg(STEP, VALUE).iter_rows()


def show_vector(asker: Asker, vectors: Vectors, time_ns: int) -> Reply:
    check_series(vectors)
    seconds = show_seconds(time_ns)
    rows = vectors.frame.select(SERIES, VALUE).rows()
    if not vectors.is_sorted:
        rows.sort(key=lambda row: order_labels(vectors.labels[row[0]]))
    result = [
        {"metric": vectors.labels[series], "value": [seconds, show_value(value)]}
        for series, value in rows
    ]
    return succeed({"resultType": "vector", "result": result, "stats": {}}, asker.warnings)


def order_labels(labels: Labels) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(labels.items()))


def read_steps(asker: Asker) -> Steps:
    """Return every step from the start to the end, both included; without a step about 250."""
    from_ns, to_ns = asker.asked.read_range()
    wanted_s = max(1, (to_ns - from_ns) // (STEPS_WANTED * NS_PER_S))
    step_ns = asker.asked.read_length("step") if asker.asked.find("step") else wanted_s * NS_PER_S
    if step_ns <= 0:
        raise Invalid(
            "zero or negative query resolution step widths are not accepted. Try a positive integer",
            field="step",
        )
    count = (to_ns - from_ns) // step_ns + 1
    if count > MAX_STEPS + 1:
        raise Invalid(
            "exceeded maximum resolution of 11,000 points per timeseries. Try increasing the value of the step "
            "parameter"
        )
    return Steps(from_ns, step_ns, count)


def check_series(vectors: Vectors) -> None:
    if vectors.frame[SERIES].n_unique() > MAX_SERIES:
        raise Invalid(
            f"maximum of series ({MAX_SERIES}) reached for a single query; consider reducing query cardinality by "
            "adding more specific stream selectors, reducing the time range, or aggregating results with functions "
            "like sum, count or topk"
        )


class Evaluation:
    """The values of a tree at some steps."""

    def __init__(self, asker: Asker, steps: Steps) -> None:
        self._asker = asker
        self._steps = steps

    def evaluate(self, node: Node) -> Operand:
        self._asker.deadline.check()
        match node:
            case Number(value):
                return value
            case Constant(value):
                return make_constant(value, self._steps)
            case Range():
                return evaluate_range(self._asker, node, self._steps)
            case Operation(_, left, right):
                return operate(node, self.evaluate(left), self.evaluate(right))
            case Aggregation():
                return self._aggregate(node)
            case _:
                return self._arrange(node)

    def _arrange(self, node: Sorted | Relabelling) -> Vectors:
        """Return the same values in another order, or with other labels."""
        if isinstance(node, Relabelling):
            return relabel(self._evaluate_vectors(node.inner, "label_replace"), node)
        vectors = self._evaluate_vectors(node.inner, "sort")
        ordered = order(vectors.frame, is_descending=node.is_descending)
        return Vectors(vectors.labels, ordered, is_sorted=True)

    def _aggregate(self, node: Aggregation) -> Vectors:
        """Return an aggregation over labels; a sum of counts and the like is computed from the events at once."""
        inner = node.inner
        if (
            isinstance(inner, Range)
            and inner.grouping is None
            and RANGE_FUNCTIONS[inner.function].merges == node.function
        ):
            return evaluate_range(self._asker, replace(inner, grouping=node.grouping), self._steps)
        return aggregate(self._evaluate_vectors(inner, node.function), node)

    def _evaluate_vectors(self, node: Node, function: str) -> Vectors:
        found = self.evaluate(node)
        if not isinstance(found, Vectors):
            raise Invalid(f"{function} of a number, expected a function of logs")
        return found


def show_value(value: float) -> str:
    """Return a number as text, without an exponent."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value.is_integer() and abs(value) <= MAX_WHOLE:
        return str(int(value))
    text = repr(value)
    return format(Decimal(text), "f") if "e" in text else text
