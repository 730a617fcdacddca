"""A refused single sign-on is an event that an admin finds in the self-log."""

import pytest
from tests.process.conftest import MakeService
from tests.process.service import Service
from tests.saml.idp_server import make_idp_metadata
from tests.waiting import poll_until

pytestmark = [pytest.mark.process]

SELF_LOG = {"env": "_system", "index": "_self"}


def enable(service: Service) -> None:
    saml = {
        "enabled": True,
        "base_url": f"http://127.0.0.1:{service.port}",
        "idp_metadata": make_idp_metadata("https://idp.example.com/sso"),
    }
    service.call("PATCH", "/api/settings", json={"saml": saml}).raise_for_status()


def test_the_reason_is_in_the_self_log(services: MakeService) -> None:
    service = services()
    service.start()
    enable(service)
    refused = service.call("POST", "/api/auth/saml/acs", data={"SAMLResponse": "AAAA"})
    assert refused.status_code == 401
    reference = refused.json()["error"]["reference"]

    def find() -> list[dict[str, object]]:
        service.flush()
        rows: list[dict[str, object]] = service.search("saml_*", **SELF_LOG)["rows"]
        return rows

    poll_until(lambda: bool(find()), "the event in the self-log")
    (event,) = find()
    assert (event["message"], event["event"]) == ("saml_malformed", "saml_malformed")
    assert (event["reference"], event["address"]) == (reference, "127.0.0.1")
