"""The settings of single sign-on: what they take, in which form they are kept."""

from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from tests.saml.idp import make_keys

from logboom.base.errors import Invalid
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.registry.settings import LiveSettings

PEM = make_keys("idp").certificate.public_bytes(Encoding.PEM).decode()
COMPLETE = {
    "enabled": True,
    "base_url": "https://logs.example.com/",
    "idp_entity_id": "https://idp.example.com",
    "idp_sso_url": "https://idp.example.com/sso?idpid=1",
    "idp_certificates": [PEM],
}


@pytest.fixture
def settings(tmp_path: Path) -> LiveSettings:
    return LiveSettings(Documents(LocalObjects(tmp_path), PlainCipher()), {})


def test_they_are_kept_in_their_normal_form(settings: LiveSettings) -> None:
    bare = "".join(PEM.strip().splitlines()[1:-1])
    settings.patch({"saml": {**COMPLETE, "idp_certificates": [bare, PEM, f"\n{PEM}\n"]}})
    saml = settings.effective.saml
    assert saml.base_url == "https://logs.example.com"
    assert saml.idp_certificates == (PEM,)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"base_url": ""}, "base_url"),
        ({"base_url": "logs.example.com"}, "base_url"),
        ({"base_url": "https://logs.example.com/below"}, "base_url"),
        ({"base_url": "https://u:p@logs.example.com"}, "base_url"),
        ({"base_url": "javascript:alert(1)"}, "base_url"),
        ({"idp_sso_url": "javascript:alert(1)"}, "idp_sso_url"),
        ({"idp_sso_url": "https://idp.example.com/\r\nSet-Cookie: a=b"}, "idp_sso_url"),
        ({"idp_sso_url": "//idp.example.com"}, "idp_sso_url"),
        ({"idp_sso_url": "https://["}, "idp_sso_url"),
        ({"idp_entity_id": "a b"}, "idp_entity_id"),
        ({"idp_entity_id": ""}, "idp_entity_id"),
        ({"idp_certificates": []}, "idp_certificates"),
        ({"idp_certificates": ["nonsense"]}, "idp_certificates"),
        ({"idp_certificates": [PEM + PEM]}, "idp_certificates"),
        ({"idp_certificates": [PEM] * 11}, "idp_certificates"),
        ({"match": ""}, "match"),
        ({"enabled": False, "password_login": False}, "password_login"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_what_cannot_work_is_refused(
    settings: LiveSettings, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as caught:
        settings.patch({"saml": {**COMPLETE, **changes}})
    assert caught.value.data["field"] == f"saml.{field}"
    assert not settings.effective.saml.enabled


def test_weak_keys_are_not_pinned(settings: LiveSettings) -> None:
    weak = make_keys("weak", "weak").certificate.public_bytes(Encoding.PEM).decode()
    with pytest.raises(Invalid, match="too weak"):
        settings.patch({"saml": {"idp_certificates": [weak]}})
