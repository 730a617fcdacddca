"""The routes of the Loki API for reading."""

from logboom.base.errors import Invalid
from logboom.base.version import __version__
from logboom.readers.loki.asking import Asker, answering
from logboom.readers.loki.browse import answer_labels, answer_series, answer_values
from logboom.readers.loki.metrics.answering import answer_matrix, answer_vector
from logboom.readers.loki.replies import PROTOCOL, show
from logboom.readers.loki.selecting import is_log_query
from logboom.readers.loki.sizes import answer_stats, answer_volume, answer_volume_range
from logboom.readers.loki.streams import answer_streams
from logboom.readers.reader import Reader
from logboom.web.reply import Reply
from logboom.web.route import Route

UNKNOWN = dict.fromkeys(("revision", "branch", "buildUser", "buildDate", "goVersion"), "")
"""What Grafana and logcli may ask of a build."""


def answer_range(asker: Asker) -> Reply:
    """Lines of a log query, or series of a metric query."""
    text = asker.asked.find("query")
    return (answer_streams if is_log_query(text) else answer_matrix)(asker, text)


def answer_instant(asker: Asker) -> Reply:
    """A metric query at one time."""
    text = asker.asked.find("query")
    if is_log_query(text):
        raise Invalid(
            "log queries are not supported as an instant query type, please change your query to a range query type"
        )
    return answer_vector(asker, text)


def answer_build(_asker: Asker) -> Reply:
    return show({"version": __version__, **UNKNOWN})


ROUTES: list[Route[Reader]] = [
    Route("GET POST", "/loki/api/v1/query", answering(answer_instant), PROTOCOL),
    Route("GET POST", "/loki/api/v1/query_range", answering(answer_range), PROTOCOL),
    Route("GET POST", "/loki/api/v1/labels", answering(answer_labels), PROTOCOL),
    Route("GET POST", "/loki/api/v1/label", answering(answer_labels), PROTOCOL),
    Route("GET POST", "/loki/api/v1/label/{name}/values", answering(answer_values), PROTOCOL),
    Route("GET POST", "/loki/api/v1/series", answering(answer_series), PROTOCOL),
    Route("GET POST", "/loki/api/v1/index/stats", answering(answer_stats), PROTOCOL),
    Route("GET POST", "/loki/api/v1/index/volume", answering(answer_volume), PROTOCOL),
    Route("GET POST", "/loki/api/v1/index/volume_range", answering(answer_volume_range), PROTOCOL),
    Route("GET", "/loki/api/v1/status/buildinfo", answering(answer_build), PROTOCOL),
]
