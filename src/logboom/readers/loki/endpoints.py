"""The routes of the Loki API for reading."""

from logboom.base.version import __version__
from logboom.readers.loki.asking import Asker, answering
from logboom.readers.loki.browse import answer_labels, answer_series, answer_values
from logboom.readers.loki.replies import PROTOCOL, show
from logboom.readers.loki.sizes import answer_stats
from logboom.readers.loki.streams import answer_streams
from logboom.readers.reader import Reader
from logboom.web.reply import Reply
from logboom.web.route import Route

UNKNOWN = dict.fromkeys(("revision", "branch", "buildUser", "buildDate", "goVersion"), "")
"""What Grafana and logcli may ask of a build."""


def answer_range(asker: Asker) -> Reply:
    """Lines of a log query."""
    return answer_streams(asker, asker.asked.find("query"))


def answer_build(_asker: Asker) -> Reply:
    return show({"version": __version__, **UNKNOWN})


ROUTES: list[Route[Reader]] = [
    Route("GET POST", "/loki/api/v1/query_range", answering(answer_range), PROTOCOL),
    Route("GET POST", "/loki/api/v1/labels", answering(answer_labels), PROTOCOL),
    Route("GET POST", "/loki/api/v1/label", answering(answer_labels), PROTOCOL),
    Route("GET POST", "/loki/api/v1/label/{name}/values", answering(answer_values), PROTOCOL),
    Route("GET POST", "/loki/api/v1/series", answering(answer_series), PROTOCOL),
    Route("GET POST", "/loki/api/v1/index/stats", answering(answer_stats), PROTOCOL),
    Route("GET", "/loki/api/v1/status/buildinfo", answering(answer_build), PROTOCOL),
]
