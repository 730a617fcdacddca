"""Scopes: what a principal may do."""

from enum import StrEnum


class Scope(StrEnum):
    """What a principal may do."""

    SEARCH = "search"
    EDIT = "edit"
    INGEST = "ingest"
    ADMIN = "admin"
    MCP = "mcp"


EVERYTHING_BUT_MCP = frozenset(Scope) - {Scope.MCP}
