"""The command line: it parses arguments and runs a command; an error prints one line and sets the exit status."""

import signal
import sys

from logboom.base.errors import LogboomError
from logboom.cli.screen import defuse
from logboom.cli.serving import read_plain, start_serving


def main() -> None:
    """Run a command; Typer exits quietly when it is interrupted or the reader of its output goes away."""
    command, *arguments = sys.argv[1:] or [""]
    flags = read_plain(arguments) if command == "serve" else None
    try:
        if flags is None:
            # Imported here because a server whose options are plain starts sooner without Typer.
            from logboom.cli.choice import choose_app  # noqa: PLC0415

            choose_app(sys.argv[1:])()
        else:
            start_serving(flags)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except LogboomError as error:
        sys.stderr.write(f"logboom: {defuse(error.message)}\n")
        if suggestion := error.data.get("suggestion"):
            sys.stderr.write(f"try: {defuse(str(suggestion))}\n")
        sys.exit(1)
