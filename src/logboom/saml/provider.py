"""Both parties of a sign-in: this service, and the identity provider that it trusts."""

from typing import TYPE_CHECKING

from logboom.base.structs import InternalStruct

if TYPE_CHECKING:
    from cryptography import x509

ACS_PATH = "/api/auth/saml/acs"
METADATA_PATH = "/api/auth/saml/metadata"
NAME_ID = "nameid"


class Provider(InternalStruct, frozen=True):
    """An identity provider, and how it knows this service.

    `certificates` are pinned: only their keys matter, not their dates and issuers. `match` is NAME_ID or the name of
    the attribute that identifies the user.
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
