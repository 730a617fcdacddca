"""All pages of the reference by their file below `docs`."""

from collections.abc import Callable

from release.reference.api import make_api
from release.reference.commands import make_commands
from release.reference.language import make_functions, make_pipes
from release.reference.metrics import make_metrics
from release.reference.settings import make_settings

PAGES: dict[str, Callable[[], str]] = {
    "reference/api.md": make_api,
    "reference/settings.md": make_settings,
    "reference/pipes.md": make_pipes,
    "reference/functions.md": make_functions,
    "reference/metrics.md": make_metrics,
    "reference/commands.md": make_commands,
}
