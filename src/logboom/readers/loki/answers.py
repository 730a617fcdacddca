"""All answers of the API in one table. It is loaded with the first request, because reading LogQL takes much code."""

from logboom.base.errors import Invalid
from logboom.base.version import __version__
from logboom.readers.loki import detected
from logboom.readers.loki.asking import Asker, Work
from logboom.readers.loki.browse import answer_labels, answer_series, answer_values
from logboom.readers.loki.metrics.answering import answer_matrix, answer_vector
from logboom.readers.loki.metrics.reading import read_metric
from logboom.readers.loki.replies import show, succeed
from logboom.readers.loki.selecting import is_log_query, read_selection
from logboom.readers.loki.sizes import answer_stats, answer_volume, answer_volume_range
from logboom.readers.loki.streams import answer_streams
from logboom.web.reply import Reply

UNKNOWN = dict.fromkeys(("revision", "branch", "buildUser", "buildDate", "goVersion"), "")
"""What Grafana and logcli may ask of a build."""


def answer_range(asker: Asker) -> Reply:
    """Answer with the lines of a log query, or the series of a metric query."""
    text = asker.asked.find("query")
    return (answer_streams if is_log_query(text) else answer_matrix)(asker, text)


def answer_instant(asker: Asker) -> Reply:
    """Answer a metric query at one time."""
    text = asker.asked.find("query")
    if is_log_query(text):
        raise Invalid(
            "log queries are not supported as an instant query type, please change your query to a range query type"
        )
    return answer_vector(asker, text)


def answer_format(asker: Asker) -> Reply:
    """Answer with the query as it is; raise InvalidQuery if it is not valid."""
    text = asker.asked.find("query")
    if is_log_query(text):
        read_selection(text)
    else:
        read_metric(text)
    return succeed(text)


def answer_build(_asker: Asker) -> Reply:
    return show({"version": __version__, **UNKNOWN})


WORK: dict[str, Work] = {
    "query": answer_instant,
    "query_range": answer_range,
    "labels": answer_labels,
    "label_values": answer_values,
    "series": answer_series,
    "stats": answer_stats,
    "volume": answer_volume,
    "volume_range": answer_volume_range,
    "detected_fields": detected.answer_fields,
    "detected_values": detected.answer_field_values,
    "detected_labels": detected.answer_labels,
    "patterns": detected.answer_patterns,
    "format_query": answer_format,
    "build": answer_build,
}
