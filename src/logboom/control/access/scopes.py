"""Scopes: what somebody may do, whoever that is."""

from enum import StrEnum


class Scope(StrEnum):
    """What somebody may do."""

    SEARCH = "search"
    EDIT = "edit"
    INGEST = "ingest"
    ADMIN = "admin"
    MCP = "mcp"


EVERYTHING_BUT_MCP = frozenset(Scope) - {Scope.MCP}
