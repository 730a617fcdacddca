"""The two single sign-on pages outside the web UI: one forwards the response, one reports a failure."""

import base64
import hashlib
import html
from typing import Any

from litestar import Response
from litestar.status_codes import HTTP_200_OK, HTTP_401_UNAUTHORIZED

from logboom.saml.reasons import Refused

AGAIN = "again"
"""The form field that shows that our own page posted the form."""
SCRIPT = "document.forms[0].submit()"
STYLE = (
    ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}"
    "main{max-width:32rem;margin:20vh auto 0;padding:0 1rem}h1{font-size:1.25rem}code{font-size:.9em}"
)


def hash_source(text: str) -> str:
    """Return how a content security policy names an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src {hash_source(SCRIPT)}",
        f"style-src {hash_source(STYLE)}",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
# Without its origin our own form would look like a form of another site.
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin"}


def render_resend(path: str, encoded: str) -> Response[Any]:
    """Return a page that posts the response again, by script or with a button if scripts are disabled."""
    form = (
        f'<form method="post" action="{path}">'
        f'<input type="hidden" name="SAMLResponse" value="{html.escape(encoded)}">'
        f'<input type="hidden" name="{AGAIN}" value="1">'
        '<button type="submit">Continue</button></form>'
        f"<script>{SCRIPT}</script>"
    )
    return render_page(HTTP_200_OK, "Signing in…", form)


def render_failure(refusal: Refused, reference: str, accepted: str) -> Response[Any]:
    """Return a page for people, the usual error for programs; neither gives the reason."""
    if "text/html" not in accepted:
        refusal.data["reference"] = reference
        raise refusal
    body = (
        "<p>You could not be signed in. Try again, and if it keeps failing, ask your administrator for the reason.</p>"
        f"<p>Reference: <code>{reference}</code></p>"
        '<p><a href="/">Back to sign-in</a></p>'
    )
    return render_page(HTTP_401_UNAUTHORIZED, "Single sign-on failed", body)


def render_page(status: int, title: str, body: str) -> Response[Any]:
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )
    return Response(page.encode(), status_code=status, media_type="text/html", headers=HEADERS)
