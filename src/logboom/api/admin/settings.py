"""`/api/settings`: what an admin can change while the service runs."""

from typing import Any

import msgspec
from litestar import Response, get, patch
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from logboom.api.access import Change, make_etag
from logboom.api.accounts.saml_settings import SamlStatus, describe_saml, expand_metadata
from logboom.api.bodies import JsonRequest
from logboom.control.access.authorise import check_everywhere
from logboom.control.access.principal import Principal
from logboom.control.control import Control
from logboom.control.registry.saml import SamlSettings
from logboom.control.registry.settings import (
    GeneralSettings,
    IngestSettings,
    StorageSettings,
    SyslogSettings,
    SyslogStatus,
)

BODY_LIMIT_BYTES = 512 * 1024
"""Enough for the metadata of an identity provider."""
NEEDS_RESTART: tuple[str, ...] = ()
"""Settings that take effect only after a restart, by their dotted names; all others take effect at once."""


class Override(msgspec.Struct, frozen=True):
    """A setting that is fixed by an environment variable, which overrides the stored value."""

    setting: str
    variable: str


class SettingsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force, and which of them cannot be changed here or need a restart.

    `syslog_status` is the state of the syslog listener in this process. `saml_status` has the values that an identity
    provider needs, and whether the extra is installed. `admin_reset` warns that SERVICE_ADMIN_RESET is set: each
    start resets the admin's password.
    """

    general: GeneralSettings
    ingest: IngestSettings
    storage: StorageSettings
    syslog: SyslogSettings
    saml: SamlSettings
    syslog_status: SyslogStatus
    saml_status: SamlStatus
    overrides: list[Override]
    needs_restart: tuple[str, ...]
    admin_reset: bool


def describe_settings(control: Control) -> SettingsAnswer:
    settings, effective = control.settings, control.settings.effective
    return SettingsAnswer(
        general=effective.general,
        ingest=effective.ingest,
        storage=effective.storage,
        syslog=effective.syslog,
        saml=effective.saml,
        syslog_status=settings.syslog_status,
        saml_status=describe_saml(effective.saml),
        overrides=[Override(*each) for each in sorted(settings.overrides.items())],
        needs_restart=NEEDS_RESTART,
        admin_reset=control.is_admin_reset,
    )


@get(
    "/api/settings",
    tags=["settings"],
    summary="Read the settings",
    description="Admins only. The settings in force; `overrides` names those that environment variables fix, "
    "`needs_restart` those that take effect only after a restart. `syslog_status` says whether the "
    "syslog listener is `off`, `listening` or `failed`, and why. `saml_status` has the values for "
    "the identity provider. `admin_reset` is true while SERVICE_ADMIN_RESET is set, which resets "
    "the admin's password and ends all sessions at each start: unset it.",
    sync_to_thread=False,
)
def handle_read(
    admin: NamedDependency[Principal],  # noqa: ARG001 - asks for the scope
    control: NamedDependency[Control],
) -> Response[SettingsAnswer]:
    etag = make_etag(control.settings.generation)
    return Response(describe_settings(control), headers=etag)


@patch(
    "/api/settings",
    tags=["settings"],
    summary="Change settings",
    description="Admins without limits only. Sections and members that are not given keep their values. "
    "`saml.idp_metadata`, the XML metadata of an identity provider, fills the members `idp_*`. "
    "Single sign-on cannot be turned off while no enabled admin has a password (409). With "
    "`If-Match`: 409 if the settings were changed since.",
    request_class=JsonRequest,
    request_max_body_size=BODY_LIMIT_BYTES,
    sync_to_thread=True,
)
def handle_update(
    data: JSONBody[dict[str, dict[str, Any]]], by_admin: NamedDependency[Change]
) -> SettingsAnswer:
    check_everywhere(by_admin.principal)
    control = by_admin.control
    changed = [f"{section}.{name}" for section, values in data.items() for name in values]
    control.change_settings(expand_metadata(data), by_admin.expected_generation)
    by_admin.record("settings.update", "settings", changed=changed)
    return describe_settings(control)


ROUTES: list[HTTPRouteHandler] = [handle_read, handle_update]
