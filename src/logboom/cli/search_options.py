"""The search options of the command line, for servers and directories alike."""

from logboom.base.structs import InternalStruct


class SearchOptions(InternalStruct, frozen=True):
    """The options that server and directory searches share."""

    query: str
    env: str = "default"
    index: str = "*"
    start: str | None = None
    end: str | None = None
    timezone: str = "UTC"
    limit: int = 100

    def to_parameters(self) -> dict[str, str]:
        """Return the options that select where to search, by their names in the HTTP API."""
        members = {
            "query": self.query,
            "env": self.env,
            "index": self.index,
            "from": self.start,
            "to": self.end,
            "timezone": self.timezone,
        }
        return {name: value for name, value in members.items() if value is not None}
