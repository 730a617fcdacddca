"""Metric queries of the Loki API, held against plain Python over the same events."""

import math
import random
from functools import partial
from typing import Any

import pytest
from tests.readers.loki import FIRST_S, START_NS, LokiClient
from tests.readers.oracle import (
    OF_VALUES,
    Event,
    Key,
    Reduce,
    Series,
    Steps,
    evaluate,
    grow,
    key,
    of_values,
    quantile,
)
from tests.running import RunningService, encode_lines
from tests.together import together

from logboom.readers.loki.metrics import counters, ranges

SECOND = 10**9
LABELS: list[dict[str, str]] = [
    {"app": "web", "level": "info"},
    {"app": "web", "level": "error"},
    {"app": "db", "level": "info"},
    {"app": "job"},
]
NAMES = ("app", "level", "index")
SPAN_S = 600
GAP = (200, 320)
"""Seconds without events."""


def make_events() -> list[Event]:
    """Random times, all different, some of them on whole seconds; and values in the line."""
    chance = random.Random(7)
    events: list[Event] = []
    times: set[int] = set()
    for place in range(520):
        second = chance.choice([chance.randrange(0, GAP[0]), chance.randrange(GAP[1], SPAN_S)])
        time_ns = START_NS + second * SECOND + chance.choice([0, chance.randrange(SECOND)])
        if time_ns in times:
            time_ns += 1 + place
        times.add(time_ns)
        dur, size = chance.randrange(1, 500), round(chance.uniform(-5, 50), 3)
        line = f"n={place} dur={dur}ms size={size} größe"
        labels = chance.choices(LABELS, [5, 2, 3, 1])[0]
        events.append(Event(time_ns, line, labels, {"dur": dur / 1000, "size": size, "n": place}))
    return events


EVENTS = make_events()
INDEXED = [event._replace(labels=event.labels | {"index": "default"}) for event in EVENTS]


@pytest.fixture(scope="module")
def client(service: RunningService) -> LokiClient:
    service.control.environments.create("loki-metrics")
    client = LokiClient(service, "loki-metrics")
    for part in (EVENTS[::2], EVENTS[1::2]):
        client.push(
            *(
                (
                    labels,
                    [[str(each.time_ns), each.line] for each in part if each.labels == labels],
                )
                for labels in LABELS
            )
        )
    return client


def ask(client: LokiClient, query: str, steps: Steps) -> Series:
    end_ns = steps.first_ns + (steps.length - 1) * steps.step_ns
    data = client.read(
        "query_range",
        query=query,
        start=steps.first_ns,
        end=end_ns,
        step=str(steps.step_ns / SECOND),
    )
    assert data["resultType"] == "matrix"
    places = {round(time / SECOND, 3): step for step, time in enumerate(steps.list_times())}
    return {
        key(each["metric"]): {places[time]: float(value) for time, value in each["values"]}
        for each in data["result"]
    }


def check(found: Series, expected: Series) -> None:
    assert found.keys() == expected.keys()
    for labels, values in expected.items():
        assert found[labels].keys() == values.keys(), labels
        for step, value in values.items():
            assert math.isclose(found[labels][step], value, rel_tol=1e-9, abs_tol=1e-9)


GRIDS = [
    (Steps(START_NS, 10 * SECOND, 70), 10 * SECOND),
    (Steps(START_NS - 7 * SECOND, 15 * SECOND, 50), 60 * SECOND),
    (Steps(START_NS + 1, 40 * SECOND, 16), 3 * SECOND),
    (Steps(START_NS, 7 * SECOND, 100), 5 * SECOND),
    (Steps(START_NS, 2 * SECOND, 320), 151 * SECOND),
    (Steps(START_NS + 5 * SECOND, 90 * SECOND, 1), 3600 * SECOND),
    (Steps(START_NS + SPAN_S * SECOND * 2, 10 * SECOND, 5), 10 * SECOND),
]
each_grid = pytest.mark.parametrize(("steps", "range_ns"), GRIDS)


def count(events: list[Event]) -> float:
    return len(events)


def measure(events: list[Event]) -> float:
    return sum(len(event.line.encode()) for event in events)


@each_grid
def test_lines_are_counted(client: LokiClient, steps: Steps, range_ns: int) -> None:
    window = f"[{range_ns}ns]"
    for function, reduce, divisor in (
        ("count_over_time", count, 1.0),
        ("rate", count, range_ns / SECOND),
        ("bytes_over_time", measure, 1.0),
        ("bytes_rate", measure, range_ns / SECOND),
    ):

        def scaled(events: list[Event], reduce: Reduce = reduce, divisor: float = divisor) -> float:
            return reduce(events) / divisor

        alone = ask(client, f'{function}({{app=~".+"}}{window})', steps)
        check(alone, evaluate(INDEXED, steps, range_ns, scaled, NAMES))
        summed = ask(client, f'sum by (level) ({function}({{app=~".+"}}{window}))', steps)
        check(summed, evaluate(EVENTS, steps, range_ns, scaled, ["level"]))


def test_long_ranges_are_differences_of_totals_and_bounded(
    client: LokiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "MAX_POINTS", 4 * 350)
    for steps, range_ns in ((GRIDS[4]), (Steps(START_NS + 1, 2 * SECOND, 350), 301 * SECOND)):
        query = f'count_over_time({{app=~".+"}}[{range_ns}ns])'
        check(ask(client, query, steps), evaluate(INDEXED, steps, range_ns, count, NAMES))
    many = client.get(
        "query_range",
        query='count_over_time({app=~".+"} | logfmt | label_format x=n [5m])',
        start=START_NS,
        end=START_NS + SPAN_S * SECOND,
        step="1",
    )
    assert many.status_code == 400
    assert "too many series for so many steps" in many.text
    monkeypatch.setattr(ranges, "MAX_GROUPS", 100)
    wide = client.get(
        "query",
        query='topk(1, count_over_time({app=~".+"} | logfmt | label_format x=n [1h]))',
        time=FIRST_S + SPAN_S,
    )
    assert wide.status_code == 400
    assert "expected at most 100" in wide.text


@each_grid
def test_values_are_measured(client: LokiClient, steps: Steps, range_ns: int) -> None:
    for function, reduce in OF_VALUES.items():
        query = f'{function}({{app!="job"}} | logfmt | unwrap size [{range_ns}ns]) by (app)'
        chosen = [event for event in EVENTS if event.labels["app"] != "job"]
        expected = evaluate(chosen, steps, range_ns, of_values("size", reduce), ["app"])
        check(ask(client, query, steps), expected)


@each_grid
def test_quantiles_are_interpolated(client: LokiClient, steps: Steps, range_ns: int) -> None:
    for share in (0, 0.25, 0.9, 1):
        query = (
            f'quantile_over_time({share}, {{app=~".+"}} | logfmt | unwrap duration(dur) '
            f"[{range_ns}ns]) without (index)"
        )
        reduce = of_values("dur", partial(quantile, share))
        check(ask(client, query, steps), evaluate(EVENTS, steps, range_ns, reduce, NAMES))


STEPS, RANGE = GRIDS[1]


def test_an_offset_looks_back(client: LokiClient) -> None:
    for offset in (-20, 30):
        found = ask(client, f'sum(count_over_time({{app="web"}}[1m] offset {offset}s))', STEPS)
        web = [event for event in EVENTS if event.labels["app"] == "web"]
        check(found, evaluate(web, STEPS, RANGE, count, [], offset * SECOND))


def test_rates_of_values_and_merged_extremes(client: LokiClient) -> None:
    selected = '{app=~".+"} | logfmt | unwrap size [1m]'
    rate = of_values("size", lambda numbers: sum(numbers) / 60)
    check(ask(client, f"sum(rate({selected}))", STEPS), evaluate(EVENTS, STEPS, RANGE, rate, []))
    for function in ("max", "min"):
        found = ask(client, f"{function} by (level) ({function}_over_time({selected}))", STEPS)
        reduce = of_values("size", OF_VALUES[f"{function}_over_time"])
        check(found, evaluate(EVENTS, STEPS, RANGE, reduce, ["level"]))


@each_grid
def test_counters_grow_from_value_to_value(client: LokiClient, steps: Steps, range_ns: int) -> None:
    """Every value that is less than the one before is a reset."""
    seconds = range_ns / SECOND
    selected = f'{{app=~".+"}} | logfmt | unwrap size [{range_ns}ns]'
    reduce = of_values("size", lambda numbers: grow(numbers) / seconds)
    found = ask(client, f"rate_counter({selected}) by (app)", steps)
    check(found, evaluate(EVENTS, steps, range_ns, reduce, ["app"]))
    found = ask(client, f"rate_counter({selected})", steps)
    check(found, evaluate(INDEXED, steps, range_ns, reduce, NAMES))


def test_values_of_several_types_are_one_series(service: RunningService, env: str) -> None:
    client = LokiClient(service, env)
    events = [
        {"timestamp": START_NS + at, "message": "x", "job": job, "size": at}
        for at, job in enumerate([5, "5", 5.0, True, "true", "a", "A", None, ""])
    ]
    service.keep(encode_lines(events), {"env": env})
    at_end = {"time": FIRST_S + 9}
    for function, expected in (
        ("count_over_time({}[1m])", {"5": 3, "true": 2, "a": 1, "A": 1, None: 2}),
        ("sum_over_time({} | unwrap size [1m])", {"5": 3, "true": 7, "a": 5, "A": 6, None: 15}),
        ("max_over_time({} | unwrap size [1m])", {"5": 2, "true": 4, "a": 5, "A": 6, None: 8}),
        (
            "avg_over_time({} | unwrap size [1m])",
            {"5": 0.5, "5.0": 2, "true": 3.5, "a": 5, "A": 6, None: 7.5},
        ),
    ):
        found = client.read("query", query=f"{function} by (job)", **at_end)["result"]
        values = {each["metric"].get("job"): float(each["value"][1]) for each in found}
        assert values == expected, function


NAMED = (
    "window",
    "figure",
    "series",
    "step",
    "value",
    "key",
    "other",
    "pair",
    "count",
    "time",
    "event",
)
"""Labels with names that columns of the evaluation might have."""


@together("name", NAMED)
def test_a_label_may_have_any_name(service: RunningService, env: str, name: str) -> None:
    client = LokiClient(service, env)
    events = [
        {"timestamp": START_NS + at, "message": "x", "job": name, name: f"v{at % 2}", "size": at}
        for at in range(4)
    ]
    service.keep(encode_lines(events), {"env": env})
    lines = f'{{job="{name}"}}'
    for text, expected in (
        (f"sum by ({name}) (count_over_time({lines}[1m]))", [2, 2]),
        (f"sum by ({name}) (sum_over_time({lines} | unwrap size [1m]))", [2, 4]),
        (f"avg_over_time({lines} | unwrap size [1m]) by ({name})", [1, 2]),
        (f"quantile_over_time(0.5, {lines} | unwrap size [1m]) by ({name})", [1, 2]),
        (f"rate_counter({lines} | unwrap size [1m]) by ({name})", [2 / 60, 2 / 60]),
    ):
        found = client.read("query", query=text, time=FIRST_S + 9)["result"]
        values = {each["metric"][name]: float(each["value"][1]) for each in found}
        assert values == dict(zip(("v0", "v1"), map(pytest.approx, expected), strict=True)), text
    counted = f"sum by ({name}) (count_over_time({lines}[1m]))"
    for text in (f"{counted} * on ({name}) {counted}", f"{counted} + {counted}"):
        found = client.read("query", query=text, time=FIRST_S + 9)["result"]
        assert [each["value"][1] for each in found] == ["4", "4"], text


def test_long_counters_are_refused(client: LokiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    query = 'rate_counter({app="web"} | logfmt | unwrap size [10m]) by (app)'
    for name, said in (
        ("MAX_SAMPLES", "more than 20 values"),
        ("MAX_POINTS", "too long for so many"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(counters, name, 20)
            answer = client.get(
                "query_range", query=query, end=START_NS + SPAN_S * SECOND, step="10"
            )
            assert answer.status_code == 400
            assert said in answer.text


def test_streams_are_aggregated(client: LokiClient) -> None:
    streams = evaluate(INDEXED, STEPS, RANGE, count, NAMES)
    for function, reduce in (
        ("sum", sum),
        ("avg", OF_VALUES["avg_over_time"]),
        ("min", min),
        ("max", max),
        ("count", len),
        ("stddev", OF_VALUES["stddev_over_time"]),
        ("stdvar", OF_VALUES["stdvar_over_time"]),
    ):
        for clause, kept in (("by (app)", {"app"}), ("without (level)", {"app", "index"})):
            expected: Series = {}
            grouped: dict[tuple[Key, int], list[float]] = {}
            for labels, values in streams.items():
                group = tuple(pair for pair in labels if pair[0] in kept)
                for step, value in values.items():
                    grouped.setdefault((group, step), []).append(value)
            for (group, step), numbers in grouped.items():
                expected.setdefault(group, {})[step] = reduce(numbers)
            query = f'{function} {clause} (count_over_time({{app=~".+"}}[1m]))'
            check(ask(client, query, STEPS), expected)


@pytest.mark.parametrize(("function", "is_largest"), [("topk", True), ("bottomk", False)])
def test_ranks_keep_the_first_of_each_step(
    client: LokiClient, function: str, *, is_largest: bool
) -> None:
    inner = 'sum by (app, level) (count_over_time({app=~".+"}[1m]))'
    streams = evaluate(EVENTS, STEPS, RANGE, count, ("app", "level"))
    found = ask(client, f"{function}(2, {inner})", STEPS)
    for step in range(STEPS.length):
        there = sorted(values[step] for values in streams.values() if step in values)
        best = there[-2:] if is_largest else there[:2]
        assert sorted(values[step] for values in found.values() if step in values) == best
    each = ask(client, f"{function} by (app) (1, {inner})", STEPS)
    assert {dict(labels)["app"] for labels in each} == {"web", "db", "job"}


def test_operations_pair_series(client: LokiClient) -> None:
    by_app = 'sum by (app) (count_over_time({app=~".+"}[1m]))'
    errors = 'sum by (app) (count_over_time({level="error"}[1m]))'
    total = 'sum(count_over_time({app=~".+"}[1m]))'
    apps = evaluate(EVENTS, STEPS, RANGE, count, ["app"])
    wrong = evaluate(
        [event for event in EVENTS if event.labels.get("level") == "error"],
        *(STEPS, RANGE, count, ["app"]),
    )
    web, all_ = key({"app": "web"}), evaluate(EVENTS, STEPS, RANGE, count, [])[()]
    shares = {step: value / apps[web][step] for step, value in wrong[web].items()}
    check(ask(client, f"{errors} / {by_app}", STEPS), {web: shares})
    check(ask(client, f"{errors} / on (app) {by_app}", STEPS), {web: shares})
    percent = {
        labels: {step: value / all_[step] * 100 for step, value in values.items()}
        for labels, values in apps.items()
    }
    check(ask(client, f"{by_app} / on () group_left () {total} * 100", STEPS), percent)
    check(
        ask(client, f"{total} / ignoring (app) group_right {by_app}", STEPS),
        {
            labels: {step: all_[step] / value for step, value in values.items()}
            for labels, values in apps.items()
        },
    )
    busy = {
        labels: kept
        for labels, values in apps.items()
        if (kept := {step: value for step, value in values.items() if value > 5})
    }
    check(ask(client, f"{by_app} > 5", STEPS), busy)
    check(ask(client, f"5 < {by_app}", STEPS), busy)
    check(
        ask(client, f"{by_app} > bool 5", STEPS),
        {
            labels: {step: float(value > 5) for step, value in values.items()}
            for labels, values in apps.items()
        },
    )
    check(
        ask(client, f"{by_app} and {errors}", STEPS),
        {web: {step: apps[web][step] for step in wrong[web]}},
    )
    left = {labels: dict(values) for labels, values in apps.items()}
    for step in wrong[web]:
        del left[web][step]
    check(
        ask(client, f"{by_app} unless {errors}", STEPS),
        {labels: values for labels, values in left.items() if values},
    )
    check(
        ask(client, f"2 ^ ({errors} % 3) - -1", STEPS),
        {web: {step: 2 ** (value % 3) + 1 for step, value in wrong[web].items()}},
    )
    filled = {step: all_.get(step, 0.0) for step in range(STEPS.length)}
    check(ask(client, f"{total} or vector(0)", STEPS), {(): filled})


def test_what_is_absent_is_one(client: LokiClient) -> None:
    there = evaluate(EVENTS, STEPS, RANGE, count, [])[()]
    found = ask(client, 'absent_over_time({app=~".+", index="default"}[1m])', STEPS)
    gaps = dict.fromkeys(set(range(STEPS.length)) - there.keys(), 1.0)
    assert gaps
    check(found, {key({"index": "default"}): gaps})
    nothing = ask(client, 'absent_over_time({app="nothing"}[1m])', STEPS)
    check(nothing, {key({"app": "nothing"}): dict.fromkeys(range(STEPS.length), 1.0)})
    assert ask(client, 'rate({app="nothing"}[1m])', STEPS) == {}
    assert ask(client, 'sum(rate({app="web"} | logfmt | unwrap nothing [1m]))', STEPS) == {}


def test_labels_that_stages_make_are_labels_of_series(client: LokiClient) -> None:
    query = 'sum by (odd) (count_over_time({app="db"} | regexp `n=\\d*(?P<odd>[13579]) `[1h]))'
    found = ask(client, query, GRIDS[5][0])
    steps = GRIDS[5][0]
    last_digit = [
        event._replace(
            labels={"odd": digit} if (digit := str(int(event.values["n"]) % 10)) in "13579" else {}
        )
        for event in EVENTS
        if event.labels["app"] == "db"
    ]
    check(found, evaluate(last_digit, steps, 3600 * SECOND, count, ["odd"]))
    streams = ask(client, 'count_over_time({app="job"} | label_format kind=app [1h])', steps)
    assert all(dict(labels) == {"kind": "job", "index": "default"} for labels in streams)


def test_the_volume_of_logs_is_divided_by_levels(client: LokiClient) -> None:
    """As Grafana asks for it."""
    query = 'sum by (level, detected_level) (count_over_time({app=~".+"} | drop __error__[1m]))'
    leveled = [
        event._replace(labels=event.labels | {"detected_level": event.labels["level"]})
        if "level" in event.labels
        else event
        for event in EVENTS
    ]
    expected = evaluate(leveled, STEPS, RANGE, count, ["level", "detected_level"])
    check(ask(client, query, STEPS), expected)
    errors = 'sum(count_over_time({app=~".+"} | detected_level="error" [1m]))'
    wrong = [event for event in EVENTS if event.labels.get("level") == "error"]
    check(ask(client, errors, STEPS), evaluate(wrong, STEPS, RANGE, count, []))
    assert client.read("label/detected_level/values") == ["error", "info"]


def test_a_label_is_replaced(client: LokiClient) -> None:
    inner = 'sum by (app) (count_over_time({app=~"web|db"}[1h]))'
    found = ask(
        client, f'label_replace({inner}, "x", "$rest-$1", "app", "(.)(?P<rest>.*)")', GRIDS[5][0]
    )
    assert {dict(labels)["x"] for labels in found} <= {"eb-w", "b-d"}
    same = ask(client, f'label_replace({inner}, "x", "y", "app", "w")', GRIDS[5][0])
    assert all("x" not in dict(labels) for labels in same)


def ask_instant(client: LokiClient, query: str, **parameters: Any) -> Any:
    return client.read("query", query=query, time=FIRST_S + SPAN_S, **parameters)


def test_one_time_has_one_value_of_each_series(client: LokiClient) -> None:
    expected = evaluate(
        EVENTS, Steps(START_NS + SPAN_S * SECOND, 1, 1), 600 * SECOND, count, ["app"]
    )
    counts = {labels[0][1]: values[0] for labels, values in expected.items()}
    by_app = 'sum by (app) (count_over_time({app=~".+"}[10m]))'
    data = ask_instant(client, by_app)
    assert data["resultType"] == "vector"
    assert data["result"] == [
        {"metric": {"app": app}, "value": [FIRST_S + SPAN_S, str(counts[app])]}
        for app in sorted(counts)
    ]
    ranked = sorted(counts, key=lambda app: -counts[app])
    for query, apps in (
        (f"sort_desc({by_app})", ranked),
        (f"sort({by_app})", ranked[::-1]),
        (f"topk(2, {by_app})", ranked[:2]),
        (f"bottomk(1, {by_app})", ranked[-1:]),
    ):
        found = ask_instant(client, query)["result"]
        assert [each["metric"]["app"] for each in found] == apps


def test_numbers_need_no_logs(client: LokiClient) -> None:
    at = FIRST_S + SPAN_S
    health = ask_instant(client, "vector(1)+vector(1)")
    assert health == {
        "resultType": "vector",
        "result": [{"metric": {}, "value": [at, "2"]}],
        "stats": {},
    }
    for query, text in (
        ("1", "1"),
        ("-0x10", "-16"),
        ("1 + 2 * 3", "7"),
        ("2 ^ 3 ^ 2", "512"),
        ("(1 + 2) * 3", "9"),
        ("7 % -4", "3"),
        ("-7 % 4", "-3"),
        ("1 / 3", "0.3333333333333333"),
        ("1 / 0", "NaN"),
        ("1 > 2", "0"),
        ("1e300 * 1e300", "+Inf"),
        ("1 / 3e9", "0.0000000003333333333333333"),
    ):
        assert ask_instant(client, query)["result"] == [at, text]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("rate(", "col 6"),
        ('rate({app="web"})', "a range such as [5m]"),
        ('rate({app="web"}[5m]', "expected"),
        ('rate({app="web"}[500y])', "1678 to 2261"),
        ('rate({app="web"}[5m] offset -300y)', "1678 to 2261"),
        ('rate({app="web"}[$__auto])', "a variable has no length"),
        ('sum_over_time({app="web"}[5m])', "needs a value"),
        ('bytes_rate({app="web"} | unwrap n [5m])', "expected no unwrap"),
        ('topk(0, rate({app="web"}[5m]))', "topk of 0"),
        ("sum(1)", "sum of a number"),
        ("sort(1)", "sort of a number"),
        ('irate({app="web"}[5m])', '"irate" is not supported'),
        ("up{} > 0", "col"),
        ('rate({app="web"}[5m]) and 1', "one side is a number"),
        ('rate({app=~".+"}[10m]) + on (app) rate({app=~".+"}[10m])', "many-to-one"),
        (
            'rate({app=~".+"}[10m]) + on (app) group_left rate({app=~".+"}[10m])',
            "duplicate series on the right side",
        ),
        ('label_replace(rate({app=~".+"}[10m]), "level", "", "", ".*")', "the same labels"),
        (
            "label_replace(" * 3
            + 'rate({app="web"}[10m])'
            + f', "app", "{"$1" * 300}", "app", "(.*)")' * 3,
            "16 MiB",
        ),
        ('label_replace(rate({app="web"}[10m]), "x", "y", "app", "(")', "("),
        ('label_replace(rate({app="web"}[10m]), "0", "y", "app", "")', "invalid label name"),
        (
            'count_over_time({app=~".+"} | logfmt | label_format x=n [10m])',
            "maximum of series (500)",
        ),
        ("0x" + "f" * 400, "too large"),
        ("1 + " * 60 + "1", "more than 50 operations"),
        ("(" * 100 + "1" + ")" * 100, "nested deeper"),
    ],
)
def test_what_cannot_be_evaluated_is_told(client: LokiClient, query: str, said: str) -> None:
    answer = client.get("query", query=query, time=FIRST_S + SPAN_S)
    assert answer.status_code == 400, answer.text
    assert said in answer.text


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"step": "0"}, "zero or negative query resolution step widths"),
        ({"step": "-5"}, "zero or negative query resolution step widths"),
        ({"step": "1m"}, ""),
        ({"step": "soon"}, "step 'soon'"),
        ({"step": "0.01"}, "exceeded maximum resolution of 11,000 points"),
        (
            {"query": 'max_over_time({app="web"} | unwrap n [30d])', "step": "0.1"},
            "the range is too long",
        ),
    ],
)
def test_too_many_steps_are_refused(
    client: LokiClient, parameters: dict[str, str], said: str
) -> None:
    asked: dict[str, Any] = {
        "query": 'rate({app="web"}[1m])',
        "start": FIRST_S,
        "end": FIRST_S + 600,
    }
    asked |= parameters
    answer = client.get("query_range", **asked)
    assert answer.status_code == (400 if said else 200)
    assert said in answer.text


def test_lines_are_no_instant(client: LokiClient) -> None:
    answer = client.get("query", query="{}")
    assert answer.status_code == 400
    assert "not supported as an instant query" in answer.text
