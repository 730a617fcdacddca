"""Where the cursor stands in a query that is being typed."""

from hypothesis import example, given
from hypothesis import strategies as st
from tests.together import together

from logboom.lang.complete import Site, find_site

CASES = {
    "^": Site("filter"),
    "le^": Site("filter", "le"),
    "-le^": Site("filter", "le"),
    "level:error le^vel": Site("filter", "le"),
    "level:error ^": Site("filter"),
    "(lev^": Site("filter", "lev"),
    "level:^": Site("value", "", "level"),
    "level:er^": Site("value", "er", "level"),
    "-level:er^": Site("value", "er", "level"),
    "level=er^": Site("value", "er", "level"),
    "level!=er^": Site("value", "er", "level"),
    'level:"er^': Site("value", "er", "level"),
    "http.status:=5^": Site("value", "5", "http.status"),
    "level IN (^": Site("value", "", "level"),
    "level IN (error, wa^": Site("value", "wa", "level"),
    "level:(error OR wa^": Site("value", "wa", "level"),
    '"http status":^': Site("value", "", "http status"),
    '"http status":5^': Site("value", "5", "http status"),
    "a 'http status':5^": Site("value", "5", "http status"),
    "-'http status'!=5^": Site("value", "5", "http status"),
    '!"http status":"5^': Site("value", "5", "http status"),
    '(`a b`:="x y^': Site("value", "x y", "a b"),
    r'"a \"b\"":x^': Site("value", "x", 'a "b"'),
    '"a b" NOT IN (x, y^': Site("value", "y", "a b"),
    '"a b":(x OR y^': Site("value", "y", "a b"),
    'a "b c" (^': Site("filter"),
    "level NOT IN (^": Site("value", "", "level"),
    "level IN (a) b^": Site("filter", "b"),
    "* | where 'a b'=x^": Site("value", "x", "a b"),
    'say "some text^': Site("text"),
    "a |^": Site("pipe"),
    "a | ^": Site("pipe"),
    "a | st^": Site("pipe", "st"),
    "'a|b' c^": Site("filter", "c"),
    "* | stats ^": Site("aggregate"),
    "* | stats co^": Site("aggregate", "co"),
    "* | stats count, av^": Site("aggregate", "av"),
    "* | stats sum(dur^": Site("field", "dur"),
    "* | stats count by ^": Site("field"),
    "* | stats count by le^": Site("field", "le"),
    "* | stats count by le | so^": Site("pipe", "so"),
    "* | timechart 5m c^": Site("aggregate", "c"),
    "* | sort -du^": Site("field", "du"),
    "* | fields a, b^": Site("field", "b"),
    "* | where lev^": Site("expression", "lev"),
    "* | where level:er^": Site("value", "er", "level"),
    "* | eval x = lo^": Site("expression", "lo"),
    "* | eval x=lo^": Site("expression", "lo"),
    '* | rex "a(^': Site("text"),
}


@together("text", CASES)
def test_what_is_typed_is_told_by_what_stands_before_the_cursor(text: str) -> None:
    assert find_site(text.replace("^", ""), text.index("^")) == CASES[text]


@given(st.text(alphabet="ab |:=()\"'`\\,-!IN\n[]{}/*", max_size=40), st.integers(-5, 50))
@example("|" * 40, 40)
def test_no_text_and_no_position_is_an_error(text: str, position: int) -> None:
    assert isinstance(find_site(text, position), Site)


def test_a_very_long_query_is_read_from_its_end() -> None:
    assert find_site("(" * 100_000 + "level:er", 200_000) == Site("value", "er", "level")
