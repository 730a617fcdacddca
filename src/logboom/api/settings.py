"""`/api/settings`: what an admin can change while the service runs."""

from typing import Any

import msgspec
from litestar import Response, get, patch
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from logboom.api.access import Change, make_etag
from logboom.api.bodies import BODY_LIMIT_BYTES, JsonRequest
from logboom.control.control import Control
from logboom.control.principal import Principal
from logboom.control.settings import (
    GeneralSettings,
    IngestSettings,
    LiveSettings,
    SamlSettings,
    StorageSettings,
    SyslogSettings,
)

NEEDS_RESTART: tuple[str, ...] = ()
"""Settings that count only after a restart, by their dotted names; all others count at once."""


class Override(msgspec.Struct, frozen=True):
    """A setting that an environment variable fixes; what is stored for it does not count."""

    setting: str
    variable: str


class SettingsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The values in force, and which of them cannot be changed here or not without a restart."""

    general: GeneralSettings
    ingest: IngestSettings
    storage: StorageSettings
    syslog: SyslogSettings
    saml: SamlSettings
    overrides: list[Override]
    needs_restart: tuple[str, ...]


def describe_settings(settings: LiveSettings) -> SettingsAnswer:
    effective = settings.effective
    return SettingsAnswer(
        general=effective.general,
        ingest=effective.ingest,
        storage=effective.storage,
        syslog=effective.syslog,
        saml=effective.saml,
        overrides=[Override(*each) for each in sorted(settings.overrides.items())],
        needs_restart=NEEDS_RESTART,
    )


@get(
    "/api/settings",
    tags=["settings"],
    summary="Read the settings",
    description="Admins only. The values in force; `overrides` names those that environment variables fix, `needs_restart` "
    "those that count only after a restart.",
    sync_to_thread=False,
)
def handle_read(
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    control: NamedDependency[Control],
) -> Response[SettingsAnswer]:
    etag = make_etag(control.settings.generation)
    return Response(describe_settings(control.settings), headers=etag)


@patch(
    "/api/settings",
    tags=["settings"],
    summary="Change settings",
    description="Admins only. Sections and members that are not given stay. With `If-Match` 409 when the settings were changed "
    "since.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_update(
    data: JSONBody[dict[str, dict[str, Any]]], by_admin: NamedDependency[Change]
) -> SettingsAnswer:
    settings = by_admin.control.settings
    changed = [f"{section}.{name}" for section, values in data.items() for name in values]
    settings.patch(data, by_admin.expected_generation)
    by_admin.record("settings.update", "settings", changed=changed)
    return describe_settings(settings)


ROUTES: list[HTTPRouteHandler] = [handle_read, handle_update]
