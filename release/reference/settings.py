"""Every setting of the service, from the table that reads them."""

from logboom.config import FLAGS, SETTINGS, Setting
from release.reference.commands import list_commands
from release.reference.tables import code, make_table

HEAD = """# Settings

Environment variables of `logboom serve`, in the order of the program's own table. A flag counts before its variable.
[Configure](../configuration.md) explains them.

"""


def make_settings() -> str:
    heads = ("Variable", "Flag", "Default", "Accepted", "Meaning")
    serve = dict(list_commands())["logboom serve"]
    flags = {option for parameter in serve.params for option in parameter.opts}
    return HEAD + make_table(heads, (describe(*each, flags) for each in SETTINGS.items()))


def describe(name: str, setting: Setting, flags: set[str]) -> tuple[str, ...]:
    flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
    return (
        code(setting.variable),
        code(flag) if flag in flags else "",
        code(setting.default) or "none",
        setting.expected,
        setting.meaning,
    )
