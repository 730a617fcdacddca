"""The records of one logger during a test."""

from typing import Any

import pytest


def list_said_by(logger: str, caplog: pytest.LogCaptureFixture) -> list[Any]:
    """Return the records of one logger; services that other tests share may log at the same time."""
    return [record for record in caplog.records if record.name == logger]
