"""What needs the extra `logboom[saml]`, loaded when it is first used."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from logboom.base.errors import Unavailable
from logboom.saml.identity import Identity
from logboom.saml.provider import Provider

if TYPE_CHECKING:
    from logboom.saml.metadata import IdentityProvider

PACKAGES = ("lxml", "signxml")
INSTALL = "pip install 'logboom[saml]'"


def is_installed() -> bool:
    return all(find_spec(package) for package in PACKAGES)


def check_installed() -> None:
    """Raise Unavailable, saying what to install, if the extra is missing."""
    if not is_installed():
        raise Unavailable(f"single sign-on is not installed here, expected {INSTALL}")


def read_response(encoded: str, provider: Provider, now_s: int) -> Identity:
    """Do what `saml.response` does, if the extra is installed."""
    check_installed()
    from logboom.saml import response  # noqa: PLC0415 - takes the extra

    return response.read_response(encoded, provider, now_s)


def read_metadata(text: str) -> "IdentityProvider":
    """Do what `saml.metadata` does, if the extra is installed."""
    check_installed()
    from logboom.saml import metadata  # noqa: PLC0415 - takes the extra

    return metadata.read_metadata(text)


def make_metadata(entity_id: str, acs_url: str) -> str:
    """Do what `saml.metadata` does, if the extra is installed."""
    check_installed()
    from logboom.saml import metadata  # noqa: PLC0415 - takes the extra

    return metadata.make_metadata(entity_id, acs_url)
