"""Both sides of a sign-in: what this service is called, and whom it trusts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509

ACS_PATH = "/api/auth/saml/acs"
METADATA_PATH = "/api/auth/saml/metadata"
NAME_ID = "nameid"


@dataclass(frozen=True, slots=True)
class Provider:
    """One identity provider and this service as it knows it.

    `certificates` are pinned: their keys count, their dates and issuers do not. `match` is NAME_ID or the name of
    the attribute that says who signed in.
    """

    base_url: str
    sp_entity_id: str
    idp_entity_id: str
    idp_sso_url: str
    certificates: tuple["x509.Certificate", ...]
    match: str = NAME_ID

    @property
    def acs_url(self) -> str:
        return self.base_url + ACS_PATH
