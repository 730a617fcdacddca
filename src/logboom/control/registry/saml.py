"""The single sign-on settings: the identity of this service, and the identity provider that it trusts."""

import re
from typing import Annotated
from urllib.parse import urlsplit

import msgspec

from logboom.base.errors import Invalid, about
from logboom.control.registry.sections import Section

MOST_CERTIFICATES = 10
LONGEST_CERTIFICATE = 16 * 1024
ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
PRINTABLE = re.compile(r"[!-~]*")
NEEDED = ("base_url", "idp_entity_id", "idp_sso_url", "idp_certificates")

Identifier = Annotated[str, msgspec.Meta(max_length=1024)]
Address = Annotated[str, msgspec.Meta(max_length=2048)]
Certificate = Annotated[str, msgspec.Meta(max_length=LONGEST_CERTIFICATE)]


class SamlSettings(Section, frozen=True, kw_only=True):
    """Single sign-on. By default `sp_entity_id` is the address of this service's metadata.

    `match` is `nameid` or the name of an attribute. `password_login` can be turned off while `enabled` is on.
    """

    enabled: bool = False
    base_url: Address = ""
    sp_entity_id: Identifier = ""
    idp_entity_id: Identifier = ""
    idp_sso_url: Address = ""
    idp_certificates: Annotated[
        tuple[Certificate, ...], msgspec.Meta(max_length=MOST_CERTIFICATES)
    ] = ()
    match: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] = "nameid"
    password_login: bool = True

    @property
    def is_password_closed(self) -> bool:
        return self.enabled and not self.password_login


def normalise_saml(saml: SamlSettings) -> SamlSettings:
    """Return the normalised settings; Invalid, naming the member, if they cannot work."""
    with about("saml.base_url"):
        base_url = normalise_base_url(saml.base_url)
    with about("saml.idp_sso_url"):
        check_address(saml.idp_sso_url)
    for name in ("sp_entity_id", "idp_entity_id"):
        check_printable(f"saml.{name}", getattr(saml, name))
    with about("saml.idp_certificates"):
        certificates = normalise_certificates(saml.idp_certificates)
    saml = msgspec.structs.replace(saml, base_url=base_url, idp_certificates=certificates)
    check_complete(saml)
    return saml


def check_complete(saml: SamlSettings) -> None:
    missing = [name for name in NEEDED if not getattr(saml, name)] if saml.enabled else []
    if missing:
        raise Invalid(
            f"single sign-on needs {', '.join(missing)} before it is enabled",
            field=f"saml.{missing[0]}",
        )
    if not saml.password_login and not saml.enabled:
        raise Invalid(
            "password sign-in can be disabled only while single sign-on is enabled",
            field="saml.password_login",
        )


def normalise_base_url(text: str) -> str:
    """Return a scheme and a host without a path, because the service cannot be served below one."""
    origin = text.strip().rstrip("/")
    if origin and not ORIGIN.fullmatch(origin):
        raise Invalid(
            f"base URL {text[:80]!r}, expected a scheme and a host such as 'https://logs.example.com'"
        )
    return origin


def check_address(text: str) -> None:
    if not text:
        return
    try:
        parts = urlsplit(text)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and not parts.fragment
    except ValueError:
        is_valid = False
    if not is_valid or not PRINTABLE.fullmatch(text):
        raise Invalid(f"address {text[:80]!r}, expected an http or https URL")


def check_printable(field: str, text: str) -> None:
    if not PRINTABLE.fullmatch(text):
        raise Invalid(f"{text[:80]!r}, expected ASCII characters without blanks", field=field)


def normalise_certificates(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the certificates as PEM texts, without duplicates."""
    if not texts:
        return ()
    from logboom.control.registry.certificates import normalise_certificate  # noqa: PLC0415 - few need it

    return tuple(dict.fromkeys(map(normalise_certificate, texts)))
