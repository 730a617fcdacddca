"""Real servers that share a store in a directory, each with its own data directory."""

from collections.abc import Mapping
from pathlib import Path

from tests.process.service import Service

SYNC_SECS = "0.2"


class SharedStore:
    def __init__(self, root: Path) -> None:
        self._root = root
        self.services: list[Service] = []

    @property
    def settings(self) -> dict[str, str]:
        """The settings of all nodes and of the commands that administer them."""
        return {
            "SERVICE_STORE_URL": (self._root / "store").as_uri(),
            "SERVICE_CONTROL_KEY_PATH": str(self._root / "control-key"),
            "SERVICE_JWT_SECRET_PATH": str(self._root / "jwt-secret"),
            "SERVICE_BLOCK_SYNC_SECS": SYNC_SECS,
            "SERVICE_BLOCK_FLUSH_SECS": SYNC_SECS,
        }

    def start(self, name: str, settings: Mapping[str, str]) -> Service:
        folder = self._root / name
        folder.mkdir()
        service = Service(folder / "data", folder / "log", self.settings | dict(settings))
        self.services.append(service)
        service.start()
        return service

    def close(self) -> None:
        for service in self.services:
            service.close()
