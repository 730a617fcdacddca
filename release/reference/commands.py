"""Every command of the command line with its arguments, from the commands themselves."""

from collections.abc import Iterator
from enum import Enum
from typing import Any

import typer

from logboom.cli.commands import make_app
from logboom.cli.table import COMMANDS, GROUPS
from release.reference.tables import code, make_table

HEAD = """# Command line

`logboom COMMAND --help` shows the same. Commands that talk to a server take its address from `--url` or `LOGBOOM_URL`, and the
credentials from `--token` or `LOGBOOM_TOKEN`. The exit status is 0 on success; otherwise a line on standard error gives the reason.

"""


def make_commands() -> str:
    parts = (describe(name, command) for name, command in list_commands())
    return HEAD + "\n".join(parts)


def list_commands() -> Iterator[tuple[str, Any]]:
    """Yield commands and those of groups, each with its full name."""
    root: Any = typer.main.get_command(make_app(COMMANDS, GROUPS))
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            for word, inner in command.commands.items():
                yield f"logboom {name} {word}", inner
        else:
            yield f"logboom {name}", command


def describe(name: str, command: Any) -> str:
    parameters = [each for each in command.params if not each.hidden]
    arguments = [show_argument(each) for each in parameters if each.param_type_name == "argument"]
    about = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    table = make_table(
        ("", "Default", "Meaning"), (describe_parameter(each) for each in parameters)
    )
    usage = " ".join([name, *arguments])
    return f"## {name}\n\n```sh\n{usage}\n```\n\n{about}\n\n{table}"


def show_argument(argument: Any) -> str:
    name = argument.name.upper() + ("…" if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def describe_parameter(parameter: Any) -> tuple[str, str, str]:
    is_argument = parameter.param_type_name == "argument"
    names = [show_argument(parameter)] if is_argument else parameter.opts + parameter.secondary_opts
    about = parameter.help or ""
    if parameter.envvar:
        about += f" Variable: `{parameter.envvar}`."
    return ", ".join(map(code, names)), code(show_default(parameter)), about


def show_default(parameter: Any) -> str:
    default = parameter.default
    if isinstance(default, Enum):
        return str(default.value)
    is_shown = isinstance(default, str | int | float) and not isinstance(default, bool)
    return str(default) if is_shown else ""
