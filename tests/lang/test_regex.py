"""Which regular expressions can be run, and why the others cannot."""

from tests.together import together

from logboom.lang.regex import MAX_EXPRESSION_LENGTH, find_fault


@together(
    "expression",
    ["", "a", r"\S+ (x|y)?", "(?i)é", r"(?P<a>\d+)", r"\/", "a" * MAX_EXPRESSION_LENGTH],
)
def test_good_expressions_have_no_fault(expression: str) -> None:
    assert find_fault(expression) is None


@together(
    ("expression", "fault"),
    [
        ("(a", "unclosed group"),
        ("[a", "unclosed character class"),
        ("*a", "repetition operator missing expression"),
        ("(a)\\1", "backreferences are not supported"),
        ("(?<=a)b", "look-around, including look-ahead and look-behind, is not supported"),
        ("(a{1000}){1000}", "too large when compiled"),
        ("a" * (MAX_EXPRESSION_LENGTH + 1), "4097 characters, expected at most 4096"),
    ],
)
def test_bad_expressions_have_one(expression: str, fault: str) -> None:
    assert find_fault(expression) == fault
