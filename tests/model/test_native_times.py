"""Times as the compiled shredder reads them: every common form, and all that only looks like one."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.twins import make_batches, open_native, shred_both
from tests.properties import examples

native = open_native()


def two(most: int) -> st.SearchStrategy[str]:
    return st.integers(0, most).map("{:02d}".format)


digits = st.text("0123456789", max_size=11)
numbers = st.builds(
    lambda sign, whole, fraction, exponent: f"{sign}{whole}{fraction}{exponent}",
    st.sampled_from(["", "", "", "-", "0", "+"]),
    st.integers(0, 20).flatmap(lambda size: st.integers(0, 10**size)),
    st.just("") | digits.map(".{}".format),
    st.sampled_from(["", "", "", "e3", "E-2"]),
)
edges = st.sampled_from(
    [
        *("9223372036854775807", "9223372036854775808", "-9223372036854775808"),
        *("9999999999999999999", "18446744073709551616", "18446744073709551617"),
        *("8999999999.999999999", "9000000000", "100000000000.1", "1772409600.1234567890"),
    ]
)
years = st.sampled_from(["1699", "1700", "1970", "2024", "2026", "2200", "2201", "9999", "x024"])
zones = st.sampled_from(
    ["", "Z", "z", "+0000", "-0830", "+2460", "+99", "+01:00", "-23:59", " +0100", " Z", "+1:00"]
)
iso = st.builds(
    "{}-{}-{}{}{}:{}:{}{}{}".format,
    *(years, two(13), two(32), st.sampled_from("T t"), two(25), two(61), two(61)),
    *(st.sampled_from(["", ".1", ",123", ".", ".123456789", ".1234567890"]), zones),
)
months = st.sampled_from(
    [
        "Jan",
        "Feb",
        "Mar",
        "Apr",
        "May",
        "Jun",
        "Jul",
        "Aug",
        "Sep",
        "Oct",
        "Nov",
        "Dec",
        "Xxx",
        "jan",
    ]
)
apache = st.builds(
    "{}/{}/{}:{}:{}:{}{}".format,
    *(two(32), months, years, two(25), two(61), two(61)),
    zones.map(lambda zone: f" {zone}" if zone else "") | zones,
)
texts = (numbers | edges | iso | apache).map('"{}"'.format)


@given(st.lists(numbers | edges | texts, min_size=1, max_size=20))
@settings(deadline=None, max_examples=examples(400))
def test_a_time_is_read_as_the_definition_reads_it(times: list[str]) -> None:
    lines = (f'{{"ts":{time},"a":{time}}}' for time in times)
    shred_both(native, make_batches(native, ["\n".join(lines).encode()]))
