"""The protocol, implemented with the official SDK: passes its calls to the tool runner.

Nothing is kept between two requests, so any node may answer any of them. In the server, only this module and
`messages` import the SDK, which is an extra.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from logboom.base.errors import LogboomError, NotFound
from logboom.base.process.offload import Offload
from logboom.base.version import __version__
from logboom.mcp.answers.plain import shorten
from logboom.mcp.instructions import INSTRUCTIONS
from logboom.mcp.messages import BODY_LIMIT_BYTES, read_message, render_refusal
from logboom.mcp.prompts import PROMPTS, Prompt
from logboom.mcp.resources import DOCUMENTS, Document
from logboom.mcp.running import CallId, RunningCalls
from logboom.mcp.table import Tool
from logboom.mcp.tool_runner import Outcome, ToolRunner, Visit
from logboom.web.asgi import ClientGone, RawRequest, send_error
from logboom.web.types import Message, Receive, Scope, Send

VISIT = "logboom.visit"
"""The key of the visit in the scope of a request."""
SESSION_HEADER = "mcp-session-id"
EVENT_STREAM = b"text/event-stream"
PROGRESS_S = 0.2

Context = ServerRequestContext[Any, Any]


class Protocol:
    """Answers requests whose scope has a visit."""

    def __init__(self, runner: ToolRunner, offload: Offload) -> None:
        self._runner = runner
        self._offload = offload
        self._running = RunningCalls()
        self._server = Server(
            "logboom",
            version=__version__,
            title="Logboom",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=list_resources,
            on_list_resource_templates=list_resource_templates,
            on_read_resource=read_resource,
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
        )
        self._server.middleware.append(self._watch_cancellation)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await read_message(RawRequest(scope, receive))
        except ClientGone:
            return
        except LogboomError as error:
            await send_error(send, render_refusal(error))
            return
        await self._speak(scope, ClientInput(body, receive), send)

    async def _speak(self, scope: Scope, client: "ClientInput", send: Send) -> None:
        """Answer one request with the SDK; everything that it starts for the request ends with it."""
        streams = accepts_stream(scope)
        manager = StreamableHTTPSessionManager(
            self._server,
            stateless=True,
            json_response=not streams,
            max_request_body_size=BODY_LIMIT_BYTES,
        )
        async with manager.run(), anyio.create_task_group() as group:
            if not streams:
                # The SDK detects only for streams that the client has disconnected.
                group.start_soon(client.cancel_when_gone, group.cancel_scope)
                scope = ask_for_json(scope)
            await manager.handle_request(scope, client.receive, send)
            group.cancel_scope.cancel()

    async def _list_tools(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        refuse_cursor(params)
        tools = self._runner.list_tools(find_visit(context).principal)
        return types.ListToolsResult(tools=[describe_tool(tool) for tool in tools])

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        visit = find_visit(context)
        try:
            tool = self._runner.find_tool(visit, params.name)
        except NotFound as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from error
        call_id = identify(context, context.request_id)
        with self._running.enter(call_id, self._runner.toolbox.search.timeout_s) as deadline:
            progress = Progress(context)
            arguments = params.arguments or {}
            call = partial(self._runner.call, visit, tool, arguments, deadline, progress.note)
            return describe_outcome(await progress.report_during(self._offload.run(call)))

    async def _watch_cancellation(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method == "notifications/cancelled":
            self._running.cancel(identify(ctx, (ctx.params or {}).get("requestId")))
        return await call_next(ctx)


class ClientInput:
    """The input of a client: its message, then nothing until it disconnects."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def receive(self) -> Message:
        body, self._body = self._body, None
        if body is None:
            message: Message = await self._receive()
            return message
        return {"type": "http.request", "body": body, "more_body": False}

    async def cancel_when_gone(self, work: anyio.CancelScope) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        work.cancel()


class Progress:
    """Reports the progress of a call to a client, only the latest figure."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._newest = self._sent = (0, 0)

    def note(self, done: int, total: int) -> None:
        """Record the latest figures. Thread-safe."""
        self._newest = (done, total)
        self._loop.call_soon_threadsafe(self._changed.set)

    async def report_during(self, work: Awaitable[Outcome]) -> Outcome:
        """Return the result of the work; awaited here, so that it is cancelled with its caller."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._report_changes)
            outcome = await work
            group.cancel_scope.cancel()
        if self._sent != self._newest:
            await self._send_newest()
        return outcome

    async def _report_changes(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._send_newest()
            await asyncio.sleep(PROGRESS_S)

    async def _send_newest(self) -> None:
        done, total = newest = self._newest
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._session.report_progress(done, total, f"{done} of {total} blocks")
        self._sent = newest


def accepts_stream(scope: Scope) -> bool:
    """Return whether the client accepts event streams; otherwise it is answered with plain JSON."""
    return any(name == b"accept" and EVENT_STREAM in value for name, value in scope["headers"])


def ask_for_json(scope: Scope) -> Scope:
    """Return the request of a client that accepts anything, in the form that the SDK expects."""
    others = [pair for pair in scope["headers"] if pair[0] != b"accept"]
    changed: Any = {**scope, "headers": [*others, (b"accept", b"application/json")]}
    return cast("Scope", changed)


def find_visit(context: Context) -> Visit:
    assert context.request is not None, "every message comes with its HTTP request"
    visit: Visit = context.request.scope[VISIT]
    return visit


def identify(context: Context, request_id: object) -> CallId:
    assert context.request is not None
    session = context.request.headers.get(SESSION_HEADER, "")
    # Without a session only the request itself distinguishes calls of several clients.
    return find_visit(context).principal.id, session or str(id(context.request)), str(request_id)


def describe_tool(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def describe_outcome(outcome: Outcome) -> types.CallToolResult:
    content = types.TextContent(type="text", text=outcome.text)
    return types.CallToolResult(content=[content], is_error=outcome.is_error)


def refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    """Refuse any cursor: lists have one page, so none was ever issued."""
    if params is not None and params.cursor is not None:
        message = (
            f"unknown cursor {shorten(params.cursor, 80)!r}, expected none: lists have one page"
        )
        raise MCPError(types.INVALID_PARAMS, message)


async def list_resources(
    _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    refuse_cursor(params)
    return types.ListResourcesResult(
        resources=[describe_document(each) for each in DOCUMENTS.values()]
    )


def describe_document(document: Document) -> types.Resource:
    return types.Resource(
        uri=document.uri,
        name=document.uri.removeprefix("logboom://"),
        title=document.title,
        description=document.description,
        mime_type="text/plain",
    )


async def list_resource_templates(
    _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """Return no templates: every resource is listed. Clients ask for them nevertheless."""
    refuse_cursor(params)
    return types.ListResourceTemplatesResult(resource_templates=[])


async def read_resource(
    _context: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    document = DOCUMENTS.get(str(params.uri))
    if document is None:
        known = ", ".join(DOCUMENTS)
        message = f"no resource {shorten(str(params.uri), 80)!r}, expected one of: {known}"
        raise MCPError(types.INVALID_PARAMS, message)
    text = types.TextResourceContents(
        uri=document.uri, mime_type="text/plain", text=document.write()
    )
    return types.ReadResourceResult(contents=[text])


async def list_prompts(
    _context: Context, params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    refuse_cursor(params)
    return types.ListPromptsResult(prompts=[describe_prompt(each) for each in PROMPTS.values()])


def describe_prompt(prompt: Prompt) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=each.name, description=each.description, required=False)
        for each in prompt.arguments
    ]
    return types.Prompt(
        name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments
    )


async def get_prompt(
    _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    prompt = PROMPTS.get(params.name)
    if prompt is None:
        message = f"no prompt {shorten(params.name, 80)!r}, expected one of: {', '.join(PROMPTS)}"
        raise MCPError(types.INVALID_PARAMS, message)
    given = params.arguments or {}
    known = [each.name for each in prompt.arguments]
    if unknown := [name for name in given if name not in known]:
        message = (
            f"unknown argument {shorten(unknown[0], 80)!r}, {prompt.name} takes {', '.join(known)}"
        )
        raise MCPError(types.INVALID_PARAMS, message)
    content = types.TextContent(type="text", text=prompt.write(given))
    return types.GetPromptResult(
        description=prompt.description,
        messages=[types.PromptMessage(role="user", content=content)],
    )
