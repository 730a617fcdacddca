"""Who may come in, and what each key sees."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.agents import ask, call, list_data, make_key, make_runner, use_client
from tests.running import RunningService, encode_lines

import logboom
from logboom.base.errors import NotFound
from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role

MakeService = Callable[..., RunningService]

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {"Accept": "application/json, text/event-stream"}
OTHER_SCOPES = tuple(scope for scope in Scope if scope is not Scope.MCP)


def knock(service: RunningService, credential: str, method: str = "POST", **options: Any) -> Any:
    headers = {**HEADERS, **({"Authorization": f"Bearer {credential}"} if credential else {})}
    return service.anonymous.request(method, "/mcp", headers=headers, **{"json": PING, **options})


def check_refused(answer: Any) -> None:
    assert answer.status_code == 403, answer.text
    assert answer.json()["error"]["code"] == "forbidden"
    assert "scope mcp" in answer.json()["error"]["message"]


def test_without_any_such_key_everybody_is_refused(start_service: MakeService) -> None:
    service = start_service()
    session = service.client.headers["Authorization"].removeprefix("Bearer ")
    for credential in ("", session, "wrong", "lbk_" + "0" * 26 + "_" + "a" * 43):
        check_refused(knock(service, credential))


def test_other_credentials_are_refused(service: RunningService) -> None:
    make_key(service)
    _, standard = service.control.keys.create("standard", OTHER_SCOPES)
    _, token = service.control.tokens.create("shipper", "default")
    session = service.client.headers["Authorization"].removeprefix("Bearer ")
    for credential in ("", "wrong", standard, token, session):
        check_refused(knock(service, credential))
    basic = service.anonymous.post(
        "/mcp", json=PING, headers={**HEADERS, "Authorization": "Basic eDp5"}
    )
    check_refused(basic)


def test_a_session_cookie_is_no_key(service: RunningService) -> None:
    make_key(service)
    session = service.client.headers["Authorization"].removeprefix("Bearer ")
    cookie = {"Cookie": f"logboom_session={session}", "Sec-Fetch-Site": "same-origin"}
    check_refused(service.anonymous.post("/mcp", json=PING, headers={**HEADERS, **cookie}))


def test_a_key_with_the_scope_is_let_in(service: RunningService) -> None:
    answer = knock(service, make_key(service))
    assert answer.status_code == 200, answer.text


def test_a_deleted_key_counts_no_longer(service: RunningService) -> None:
    key, secret = service.control.keys.create("agent", (Scope.MCP,))
    assert knock(service, secret).status_code == 200
    service.control.keys.delete(key.id)
    check_refused(knock(service, secret))


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_posts_are_answered(service: RunningService, method: str) -> None:
    answer = knock(service, make_key(service), method)
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"
    check_refused(knock(service, "", method))


def test_a_key_for_agents_opens_nothing_else(service: RunningService) -> None:
    headers = {"Authorization": f"Bearer {make_key(service)}"}
    for path in ("/api/search", "/api/users", "/api/keys", "/api/indexes"):
        assert service.anonymous.get(path, headers=headers).status_code == 403


def test_hidden_tools_are_neither_listed_nor_run(service: RunningService) -> None:
    key = make_key(service, tools=("list_*", "count"))

    async def list_and_call(client: Any) -> tuple[set[str], str]:
        names = {tool.name for tool in (await client.list_tools()).tools}
        with pytest.raises(Exception, match="unknown tool 'search'") as raised:
            await client.call_tool("search", {})
        return names, str(raised.value)

    names, error = use_client(service.port, key, list_and_call)
    assert names == {"list_indexes", "list_environments", "list_fields", "count"}
    assert "alerts" not in error
    with pytest.raises(NotFound, match="unknown tool 'nothing'"):
        call(service, key, "nothing")


def test_other_environments_are_out_of_reach(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"message": "top secret", "hidden_field": 1}]), {"env": env})
    key = make_key(service, envs=("default",))
    for tool in ("search", "count", "chart", "patterns", "list_fields"):
        outcome = call(service, key, tool, env=env)
        assert outcome.result == "forbidden"
        assert "list_environments" in outcome.text
        assert "top secret" not in outcome.text
        assert "hidden_field" not in call(service, key, tool, env="*").text
    assert f"\n{env}\t" not in ask(service, key, "list_environments")
    assert f"\n{env}\t" not in ask(service, key, "list_indexes")
    assert call(service, key, "search", query=f"env:{env}").text.count("top secret") == 0


def test_other_indexes_are_out_of_reach(service: RunningService, env: str) -> None:
    service.keep(encode_lines([{"message": "seen", "shown": 1}]), {"env": env, "index": "open"})
    service.keep(
        encode_lines([{"message": "unseen", "hidden": 1}]), {"env": env, "index": "closed"}
    )
    key = make_key(service, envs=(env,), indexes=("open",))
    texts = [
        *(ask(service, key, tool) for tool in ("search", "count", "list_fields", "patterns")),
        ask(service, key, "list_indexes"),
        ask(service, key, "field_values", field="hidden"),
        ask(service, key, "search", query="hiddn:1"),
        ask(service, key, "search", query="index:closed"),
        ask(service, key, "count", by="_index"),
    ]
    assert not [text for text in texts if "unseen" in text or "closed\t" in text]
    assert not [line for text in texts for line in list_data(text) if line.startswith("hidden")]
    assert "seen" in texts[0]


def test_an_event_of_another_index_cannot_be_read_by_its_id(
    service: RunningService, env: str
) -> None:
    service.keep(encode_lines([{"message": "unseen"}]), {"env": env, "index": "closed"})
    (row,) = service.search("", env=env)["rows"]
    key = make_key(service, envs=(env,), indexes=("open",))
    for tool in ("read_event", "event_context"):
        outcome = call(service, key, tool, id=row["_id"])
        assert outcome.result == "not_found"
        assert "unseen" not in outcome.text


def test_the_services_own_logs_stay_hidden_even_from_a_key_of_an_admin(
    service: RunningService,
) -> None:
    _, key = service.control.keys.create("both", (Scope.ADMIN, Scope.MCP))
    assert "_system" not in ask(service, key, "list_environments")
    assert call(service, key, "search", env="_system").is_error


def test_saved_queries_within_reach_are_listed(service: RunningService, env: str) -> None:
    for name, place in {"mine": env, "other": "default", "all": "*"}.items():
        body = {"name": f"{name} {env}", "query": "level:error", "env": place, "is_shared": True}
        answer = service.client.post("/api/queries", json=body)
        assert answer.status_code == 201, answer.text
    private = {"name": f"private {env}", "query": "x", "env": env}
    assert service.client.post("/api/queries", json=private).status_code == 201
    shown = ask(service, make_key(service, envs=(env,)), "saved_queries", contains=env)
    assert [line.split("\t")[0] for line in list_data(shown)[1:]] == [f"mine {env}"]
    everything = ask(service, make_key(service), "saved_queries", contains=env)
    assert len(list_data(everything)) == 4


def test_alerts_within_reach_are_listed(service: RunningService, env: str) -> None:
    service.control.users.create(
        f"u{env[-20:]}", "a long enough password", Role.EDITOR, envs=(env,)
    )
    token, _ = service.control.login(f"u{env[-20:]}", "a long enough password")
    service.keep(encode_lines([{"message": "boom", "level": "error"}]), {"env": env})
    rule = {"query": "level:error", "env": env, "operator": "above", "threshold": 0}
    headers = {"Authorization": f"Bearer {token}"}
    answer = service.anonymous.post(
        "/api/alerts", json={"name": f"boom {env}", **rule}, headers=headers
    )
    assert answer.status_code == 201, answer.text
    service.check_alerts()
    (_, row) = list_data(ask(service, make_key(service, envs=(env,)), "alerts", contains=env))
    name, status, since, value = row.split("\t")[:4]
    assert (name, status, value) == (f"boom {env}", "firing", "1")
    assert since.endswith("Z")
    limited = make_key(service, envs=(env,), indexes=("other",))
    assert list_data(ask(service, limited, "alerts", contains=env)) == []
    other = make_key(service, envs=("default",))
    assert list_data(ask(service, other, "alerts", contains=env)) == []


def test_every_call_is_audited(
    service: RunningService, env: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "logboom.audit")
    key = make_key(service, envs=(env,), tools=("count",))
    runner = make_runner(service)
    call(service, key, "count", runner, query="LEVEL:error")
    call(service, key, "count", runner, query="(")
    with pytest.raises(NotFound):
        call(service, key, "search", runner)
    records = [vars(record) for record in caplog.records if record.name == "logboom.audit"]
    told = [(each["action"], each["actor"], each["target"], each["outcome"]) for each in records]
    assert told == [
        ("mcp.call", "agent", "count", "ok"),
        ("mcp.call", "agent", "count", "invalid"),
        ("mcp.call", "agent", "search", "forbidden"),
    ]
    first = records[0]["details"]
    assert first["query"] == "LEVEL:error | stats count"
    assert first["rows"] == 1
    assert first["bytes"] > 0
    assert first["duration_ms"] > 0
    assert records[0]["address"] == "192.0.2.1"
    assert key not in json.dumps([str(each) for each in records])


def test_without_the_extra_it_is_said_what_to_install(
    start_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start_service()
    monkeypatch.setitem(sys.modules, "logboom.mcp.protocol", None)
    answer = knock(service, make_key(service))
    assert answer.status_code == 503
    assert "pip install 'logboom[mcp]'" in answer.json()["error"]["message"]
    check_refused(knock(service, ""))
    monkeypatch.undo()
    assert knock(service, make_key(service)).status_code == 200


def test_the_server_starts_without_the_sdk() -> None:
    """Only what is loaded on demand may import it: it is an extra, and slow to import."""
    source = Path(logboom.__file__).parent
    on_demand = {source / "mcp" / f"{name}.py" for name in ("protocol", "messages", "bridge")}
    sdk = re.compile(
        r"^\s*(?:from|import) (?:mcp\b|mcp_types|httpx2|logboom\.mcp\.(?:protocol|messages|bridge))",
        re.MULTILINE,
    )
    importing = {path for path in source.rglob("*.py") if sdk.search(path.read_text())}
    assert importing == on_demand
