"""Which columns are numbers, as far as the text of a query says."""

import pytest

from logboom.lang.numeric import list_numeric
from logboom.lang.parse import parse


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("error", set()),
        ("* | stats count, avg(a) as x, latest(b), max(c), max(_time) by h", {"count", "x", "max(c)"}),
        ("* | stats count | eval r = count / 2, t = count + \" s\", u = upper(h)", {"count", "r"}),
        ("* | stats count | eval r = -count, s = round(r, 2), i = if(r > 1, s, 0)", {"count", "r", "s", "i"}),
        ("* | stats count | eval count = \"x\", b = count == 1, c = 5, d = zz", {"c"}),
        ("* | stats count, sum(a) as s | rename s as t, count as s", {"s", "t"}),
        ("* | stats count by h | stats values(count) as v", set()),
        ("* | timechart count, p95(ms) as p", {"count", "p"}),
    ],
)  # fmt: skip
def test_columns_of_numbers(query: str, expected: set[str]) -> None:
    assert list_numeric(parse(query)) == expected
