"""Whole queries: a log query, or a metric query made of several."""

from logboom.lang.ast import Query
from logboom.lang.dialects.logql.charts import draw
from logboom.lang.dialects.logql.metrics import read_metric
from logboom.lang.dialects.logql.pipeline import Pipeline
from logboom.lang.dialects.logql.selectors import read_selector
from logboom.lang.dialects.logql.stages import read_stages
from logboom.lang.dialects.logql.tokens import TokenReader


def read_whole(reader: TokenReader) -> Query:
    if reader.sees("{"):
        query = read_log_query(reader)
    else:
        query = draw(read_metric(reader))
    if not reader.sees_kind("end"):
        raise reader.unexpected(["|", "the end"])
    return query


def read_log_query(reader: TokenReader) -> Query:
    pipeline = Pipeline()
    read_selector(reader, pipeline)
    read_stages(reader, pipeline)
    if pipeline.value is not None:
        raise reader.refuse("unwrap needs a function around it, such as sum_over_time", reader.last)
    return pipeline.finish()
