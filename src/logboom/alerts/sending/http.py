"""One request to a receiver, with a time limit and without following redirects."""

import asyncio
from urllib.parse import urlsplit

import httpx

from logboom.alerts.sending.forms import Post
from logboom.alerts.sending.receipt import Receipt, make_plain
from logboom.alerts.sending.resolve import resolve
from logboom.alerts.sending.trust import make_context
from logboom.base.errors import LogboomError

DEADLINE_S = 10.0
ANSWER_S = 2.0
ANSWER_BYTES = 2_000
LONGEST_WAIT_S = 3600.0
PORTS = {"http": 80, "https": 443}


async def send_post(post: Post) -> Receipt:
    """Return the receiver's answer; any error is in the receipt."""
    try:
        async with asyncio.timeout(DEADLINE_S):
            return await try_addresses(post)
    except TimeoutError:
        return Receipt(ok=False, answer=f"no answer within {DEADLINE_S:g} seconds")
    except LogboomError as error:
        return Receipt(ok=False, answer=error.message)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return Receipt(ok=False, answer=make_plain(str(error)) or type(error).__name__)


async def try_addresses(post: Post) -> Receipt:
    """Send to the first address of the host that accepts a connection."""
    parts = urlsplit(post.url)
    host = parts.hostname or ""
    *others, last = await resolve(host, parts.port or PORTS[parts.scheme])
    async with httpx.AsyncClient(verify=make_context(), trust_env=False, timeout=None) as client:  # noqa: S113
        for address in others:
            try:
                return await ask(client, post, address)
            except httpx.ConnectError:
                continue
        return await ask(client, post, last)


async def ask(client: httpx.AsyncClient, post: Post, address: str) -> Receipt:
    """Connect to the address that was checked; name and certificate stay those of the host."""
    url = httpx.URL(post.url)
    headers = {**post.headers, "Host": url.netloc.decode("ascii")}
    extensions = {"sni_hostname": url.raw_host.decode("ascii")}
    request = client.build_request(
        "POST",
        url.copy_with(host=address),
        content=post.body,
        headers=headers,
        extensions=extensions,
    )
    answer = await client.send(request, stream=True, follow_redirects=False)
    try:
        text = await read_some(answer)
    finally:
        await answer.aclose()
    if answer.is_redirect:
        text = "redirects are not followed"
    return Receipt(
        ok=answer.is_success,
        status=answer.status_code,
        answer=text,
        retry_after_s=read_retry_after(answer),
    )


async def read_some(answer: httpx.Response) -> str:
    """Return the start of the answer; whether it was accepted is known without it."""
    content = b""
    try:
        async with asyncio.timeout(ANSWER_S):
            async for piece in answer.aiter_raw(ANSWER_BYTES):
                content += piece
                if len(content) >= ANSWER_BYTES:
                    break
    except (TimeoutError, httpx.HTTPError):
        pass
    return make_plain(content.decode("utf-8", "replace"))


def read_retry_after(answer: httpx.Response) -> float | None:
    text = answer.headers.get("Retry-After", "")
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    return min(float(text), LONGEST_WAIT_S)
