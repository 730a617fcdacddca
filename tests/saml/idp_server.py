"""The test identity provider as a web site: takes requests by redirect, answers by a form that a browser posts."""

import base64
import html
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree
from tests.saml.idp import IDP, SAML, Answer, Element, make_keys


def read_request(location: str) -> Element:
    """Return the request in the address that a browser is sent to."""
    packed = base64.b64decode(parse_qs(urlsplit(location).query)["SAMLRequest"][0])
    return etree.fromstring(zlib.decompress(packed, wbits=-zlib.MAX_WBITS))


def answer_request(request: Element, answer: Answer) -> Answer:
    """Return the answer to a request, addressed as the request demands."""
    return answer.but(
        request_id=request.get("ID"),
        acs_url=request.get("AssertionConsumerServiceURL"),
        audience=request.findtext(f"{SAML}Issuer") if answer.audience else answer.audience,
    )


def make_idp_metadata(sso_url: str, *names: str) -> str:
    """Return the metadata of the provider, with certificates of several keys."""
    keys = "".join(
        '<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>'
        f"<ds:X509Certificate>{render_certificate(name)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
        for name in names or ("idp",)
    )
    return (
        f'<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{IDP}">'
        '<md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
        f'{keys}<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="{sso_url}"/>'
        f'<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="{sso_url}"/>'
        "</md:IDPSSODescriptor></md:EntityDescriptor>"
    )


def render_certificate(name: str) -> str:
    return base64.encodebytes(make_keys(name).certificate.public_bytes(Encoding.DER)).decode()


class IdpServer(ThreadingHTTPServer):
    """Answers every request as `make` says."""

    make: Callable[[], Answer]

    @property
    def sso_url(self) -> str:
        return f"http://localhost:{self.server_address[1]}/sso"


class Handler(BaseHTTPRequestHandler):
    server: IdpServer

    def do_GET(self) -> None:
        if not self.path.startswith("/sso?"):
            self.send_error(404)
            return
        request = read_request(self.path)
        answer = answer_request(request, self.server.make())
        page = (
            "<!doctype html><title>Identity provider</title><h1>Who are you?</h1>"
            f'<form method="post" action="{html.escape(answer.acs_url)}">'
            f'<input type="hidden" name="SAMLResponse" value="{answer.encode()}">'
            f'<input type="hidden" name="RelayState" value="https://evil.example.com/">'
            "<button>Sign in</button></form>"
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve_idp(make: Callable[[], Answer]) -> Iterator[IdpServer]:
    server = IdpServer(("127.0.0.1", 0), Handler)
    server.make = make
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
