"""Stream selectors: `{app="web", pod=~"web-.*"}`."""

from logboom.lang.dialects.logql.matchers import make_label_test
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.tokens import TokenReader, decode_string

OPERATORS = ("=", "!=", "=~", "!~")


def read_selector(reader: TokenReader, pipeline: Pipeline) -> None:
    reader.expect("{")
    while not reader.take_sign("}"):
        read_matcher(reader, pipeline)
        if not reader.sees("}"):
            reader.expect(",")


def read_matcher(reader: TokenReader, pipeline: Pipeline) -> None:
    """Read a label, which may be quoted, an operator and a text."""
    name = reader.take_text() if reader.sees_kind("string") else reader.take_name()
    if not reader.sees(*OPERATORS):
        raise reader.unexpected(OPERATORS)
    operator = reader.take().text
    token = reader.expect_kind("string", "a text in quotes")
    text = decode_string(token.text)
    pipeline.select(name)
    pipeline.add_filter(make_label_test(reader, name, operator, text, token, is_selected=True))
