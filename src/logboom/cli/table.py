"""Every command of the command line, by its name."""

from logboom.cli.cluster import run_scheduler, run_worker
from logboom.cli.commands import Command, Group
from logboom.cli.maintenance import admin
from logboom.cli.maintenance.backup import run_backup, run_restore
from logboom.cli.maintenance.check import run_check, run_repair
from logboom.cli.maintenance.doctor import run_doctor
from logboom.cli.query import run_query, run_tail
from logboom.cli.remote import alerts, envs, keys, sources, tokens, users
from logboom.cli.remote.agents import run_mcp
from logboom.cli.remote.importing import run_import
from logboom.cli.service import run_serve, run_version

COMMANDS: dict[str, Command] = {
    "serve": run_serve,
    "query": run_query,
    "tail": run_tail,
    "import": run_import,
    "login": users.run_login,
    "mcp": run_mcp,
    "doctor": run_doctor,
    "check": run_check,
    "repair": run_repair,
    "backup": run_backup,
    "restore": run_restore,
    "scheduler": run_scheduler,
    "worker": run_worker,
    "version": run_version,
}
GROUPS: dict[str, Group] = {
    "user": ("The accounts of a server.", users.COMMANDS),
    "token": ("The ingest tokens of a server.", tokens.COMMANDS),
    "key": ("The API keys of a server.", keys.COMMANDS),
    "env": ("The environments of a server.", envs.COMMANDS),
    "alerts": ("The alerts of a server.", alerts.COMMANDS),
    "source": ("The files that a server reads.", sources.COMMANDS),
    "admin": ("Maintenance of a stopped service, or of a node that is gone.", admin.COMMANDS),
}
