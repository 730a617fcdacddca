"""Whole queries: a log query, or a metric query made of several."""

from logboom.lang.ast import Query, Uniq
from logboom.lang.dialects.logql.metrics.charts import draw
from logboom.lang.dialects.logql.metrics.queries import read_metric
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.selectors import read_selector
from logboom.lang.dialects.logql.stages import read_stages
from logboom.lang.dialects.logql.tokens import TokenReader
from logboom.lang.errors import InvalidQuery
from logboom.lang.format import format_query


def read(text: str) -> Query:
    """Raise InvalidQuery for what cannot be translated; it may suggest the part that could be."""
    reader = TokenReader(text)
    try:
        return read_whole(reader)
    except InvalidQuery as error:
        if error.suggestion is None and reader.translated is not None:
            error.replace_suggestion(format_query(reader.translated()))
        raise


def read_whole(reader: TokenReader) -> Query:
    if reader.sees("{"):
        query = read_log_query(reader, Pipeline())
    elif reader.sees("label_values"):
        query = read_label_values(reader)
    else:
        query = draw(read_metric(reader))
    if not reader.sees_kind("end"):
        raise reader.unexpected(["|", "the end"])
    return query


def read_log_query(reader: TokenReader, pipeline: Pipeline) -> Query:
    read_selector(reader, pipeline)
    read_stages(reader, pipeline)
    if pipeline.value is not None:
        raise reader.refuse("unwrap needs a function around it, such as sum_over_time", reader.last)
    reader.translated = pipeline.finish
    if reader.sees("["):
        raise reader.refuse(
            "a range needs a function around it, such as count_over_time", reader.next
        )
    return pipeline.finish()


def read_label_values(reader: TokenReader) -> Query:
    """`label_values({…}, label)`, which Grafana uses to list the values of a label."""
    reader.take()
    reader.expect("(")
    pipeline = Pipeline()
    if reader.sees("{"):
        read_selector(reader, pipeline)
        read_stages(reader, pipeline)
        reader.expect(",")
    label = pipeline.name(reader.take_name())
    reader.expect(")")
    pipeline.add(Uniq((label,)))
    return pipeline.finish()
