"""Who may bring events and where to: every carrier of a token, every carrier of a name."""

import base64
import fnmatch
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.api.signing_in import Headers, bearer, make_key, make_token, open_session
from tests.properties import examples
from tests.running import RunningService, encode_lines

from logboom.control.access.scopes import Scope
from logboom.control.access.users import Role
from logboom.model.names import normalise_index

MakeService = Callable[..., RunningService]

BODY = encode_lines([{"n": 1}, {"n": 2}])


def encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


CARRIERS: dict[str, Callable[[str], Headers]] = {
    "bearer": bearer,
    "any case": lambda token: {"Authorization": f"bEARER  {token}"},
    "splunk": lambda token: {"Authorization": f"Splunk {token}"},
    "api key": lambda token: {"Authorization": f"ApiKey {token}"},
    "api key with an id": lambda token: {"Authorization": f"ApiKey {encode('id:' + token)}"},
    "basic": lambda token: {"Authorization": f"Basic {encode('anybody:' + token)}"},
    "basic without a name": lambda token: {"Authorization": f"Basic {encode(':' + token)}"},
    "header": lambda token: {"X-Service-Token": token},
    "header beside a proxy's own": lambda token: {
        "X-Service-Token": token,
        "Authorization": f"Basic {encode('proxy:secret')}",
    },
}
each_carrier = pytest.mark.parametrize("carrier", CARRIERS)


@each_carrier
def test_a_token_counts_in_every_carrier_and_its_use_is_noted(
    service: RunningService, env: str, carrier: str
) -> None:
    token, secret = service.control.tokens.create("shipper", env)
    answer = service.ingest(BODY, headers=CARRIERS[carrier](secret))
    assert answer.json()["ingested"] == 2
    service.flush()
    assert service.count(env=env) == 2
    assert service.client.get(f"/api/tokens/{token.id}").json()["last_used"] is not None


@each_carrier
def test_a_wrong_token_is_a_401_in_every_carrier(
    service: RunningService, env: str, carrier: str
) -> None:
    token = make_token(service, env)
    swapped = "a" if token[-2] != "a" else "b"
    for wrong in (f"{token[:-2]}{swapped}{token[-1]}", token[:-1], token.upper(), "x"):
        answer = service.ingest(BODY, headers=CARRIERS[carrier](wrong))
        assert answer.status_code == 401
        assert token[:-2] not in answer.text


@pytest.mark.parametrize(
    "authorization",
    ["Token {}", "{}", "Basic {}", "Basic ====", "ApiKey ====", "Bearer a {}", "Digest {}"],
)
def test_a_token_in_another_form_is_a_401_that_does_not_repeat_it(
    service: RunningService, env: str, authorization: str
) -> None:
    token = make_token(service, env)
    answer = service.ingest(BODY, headers={"Authorization": authorization.format(token)})
    assert answer.status_code == 401
    assert token not in answer.text


def test_a_disabled_or_deleted_token_is_a_401(service: RunningService, env: str) -> None:
    token, secret = service.control.tokens.create("shipper", env)
    place = f"/api/tokens/{token.id}"
    service.client.patch(place, json={"enabled": False})
    disabled = service.ingest(BODY, headers=bearer(secret))
    assert disabled.status_code == 401
    wrong = bearer(secret.replace(token.id, token.id[::-1]))
    assert disabled.text == service.ingest(BODY, headers=wrong).text
    service.client.patch(place, json={"enabled": True})
    assert service.ingest(BODY, headers=bearer(secret)).status_code == 200
    service.client.delete(place)
    assert service.ingest(BODY, headers=bearer(secret)).status_code == 401


def test_credentials_are_needed_when_the_settings_say_so(start_service: MakeService) -> None:
    service = start_service()
    service.client.patch("/api/settings", json={"ingest": {"require_auth": True}})
    answer = service.ingest(BODY)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    for headers in (
        bearer(make_token(service)),
        make_key(service, Scope.INGEST),
        open_session(service, Role.ADMIN),
    ):
        assert service.ingest(BODY, headers=headers).status_code == 200


def test_native_ingest_can_be_switched_off(start_service: MakeService) -> None:
    service = start_service()
    service.client.patch("/api/settings", json={"ingest": {"native_enabled": False}})
    for headers in ({}, bearer(make_token(service)), bearer("wrong")):
        answer = service.ingest(BODY, headers=headers)
        assert answer.status_code == 403
        assert "switched off" in answer.json()["error"]["message"]
    service.client.patch("/api/settings", json={"ingest": {"native_enabled": True}})
    assert service.ingest(BODY).status_code == 200


ENV_ASKED: dict[str, tuple[dict[str, str], Headers, int]] = {
    "nothing": ({}, {}, 200),
    "the same by parameter": ({"env": "{}"}, {}, 200),
    "the same by header": ({}, {"X-Service-Env": "{}"}, 200),
    "the same twice": ({"env": "{}"}, {"X-Service-Env": "{}"}, 200),
    "empty": ({"env": ""}, {"X-Service-Env": ""}, 200),
    "another by parameter": ({"env": "default"}, {}, 403),
    "another by header": ({}, {"X-Service-Env": "default"}, 403),
    "another by header only": ({"env": "{}"}, {"X-Service-Env": "default"}, 403),
    "another by parameter only": ({"env": "default"}, {"X-Service-Env": "{}"}, 403),
    "one that is not there": ({"env": "nowhere"}, {}, 403),
    "the service's own": ({"env": "_system"}, {}, 403),
    "above": ({"env": ".."}, {}, 403),
    "a longer one": ({"env": "{}X"}, {}, 403),
    "a blank after it": ({"env": "{} "}, {}, 403),
    "another letter": ({"env": "\uff45nv"}, {}, 403),
}


@pytest.mark.parametrize("asked", ENV_ASKED)
def test_the_pinned_environment_is_the_only_one(
    service: RunningService, env: str, asked: str
) -> None:
    params, headers, status = ENV_ASKED[asked]
    token = make_token(service, env)
    answer = service.ingest(
        BODY,
        {name: text.format(env) for name, text in params.items()},
        {name: text.format(env) for name, text in headers.items()} | bearer(token),
    )
    assert answer.status_code == status
    service.flush()
    assert service.count(env=env) == (2 if status == 200 else 0)


def send_by_parameter(service: RunningService, index: str, headers: Headers) -> httpx.Response:
    return service.ingest(BODY, {"index": index}, headers)


def send_by_header(service: RunningService, index: str, headers: Headers) -> httpx.Response:
    return service.ingest(BODY, headers={**headers, "X-Service-Index": index})


def send_by_template(service: RunningService, index: str, headers: Headers) -> httpx.Response:
    body = encode_lines([{"to": index, "n": n} for n in (1, 2)])
    return service.ingest(body, {"index": "{{to}}"}, headers)


def send_by_nested_template(
    service: RunningService, index: str, headers: Headers
) -> httpx.Response:
    body = encode_lines([{"a": {"b": index[1:]}, "n": n} for n in (1, 2)])
    return service.ingest(body, {"index": index[0] + "{{a.b}}"}, headers)


SENDERS: dict[str, Callable[[RunningService, str, Headers], httpx.Response]] = {
    "parameter": send_by_parameter,
    "header": send_by_header,
    "template": send_by_template,
    "nested template": send_by_nested_template,
}
INDEXES: dict[str, str | None] = {
    "app-1": "app-1",
    "APP-1": "app-1",
    "app-a b": "app-a-b",
    "app-../../x": "app-------x",
    "app-": "app-",
    "app": None,
    "db": None,
    "default": None,
    "unknown": None,
    "..": None,
    "../app-1": None,
    ".app-1": None,
    "/app-1": None,
    "_x": None,
    "_self": None,
    "_app-1": None,
    "__": None,
    "%61pp-1": None,
    "*": None,
    "app*": "app-",
    "app-é": "app--",
    "\uff41pp-1": None,
    "\u0430pp-1": None,
    "APP-\u212a": "app-k",
    "app\u2010one": "app-one",
}
"""Names that are asked for, and the index that a token for `app-*` reaches by them."""


@pytest.mark.parametrize(
    ("carrier", "index"),
    [
        (carrier, index)
        for carrier in SENDERS
        for index in INDEXES
        if carrier != "header" or index.isascii()
    ],
)
def test_rows_go_only_where_the_token_may(
    service: RunningService, env: str, carrier: str, index: str
) -> None:
    headers = bearer(make_token(service, env, indexes=("app-*",)))
    answer = SENDERS[carrier](service, index, headers)
    expected = INDEXES[index]
    if answer.status_code == 400:
        assert index.startswith("_")
        assert expected is None
    else:
        content = answer.json()
        counted = (2, 0) if expected else (0, 2)
        assert (content["ingested"], content["errors"]) == counted
        assert len(content["partitions"]) == bool(expected)
    service.flush()
    rows = service.search(env=env)["rows"]
    assert [row["_index"] for row in rows] == ([expected] * 2 if expected else [])


@pytest.fixture(scope="module")
def limited(service: RunningService) -> Headers:
    """The headers of a token for some indexes of an environment."""
    service.control.environments.create("limited")
    return bearer(make_token(service, "limited", indexes=("a*", "?b")))


@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
@given(names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=5))
def test_of_mixed_rows_exactly_those_within_the_globs_are_stored(
    service: RunningService, limited: Headers, names: list[str]
) -> None:
    body = encode_lines({"to": name} for name in names)
    answer = service.ingest(body, {"index": "{{to}}"}, limited).json()
    resolved = [normalise_index(name) or "unknown" for name in names]
    stored = [
        index
        for index in resolved
        if any(fnmatch.fnmatchcase(index, glob) for glob in ("a*", "?b")) and index[0] != "_"
    ]
    assert (answer["ingested"], answer["errors"]) == (len(stored), len(names) - len(stored))
    assert {part.partition("/")[0] for part in answer["partitions"]} == set(stored)


def test_lines_that_are_no_json_go_where_rows_without_a_value_go(
    service: RunningService, env: str
) -> None:
    for indexes, kept in ((("app",), 1), (("app", "unknown"), 2)):
        headers = bearer(make_token(service, env, indexes=indexes))
        body = encode_lines([{"to": "app"}, {"to": "db"}]) + b"no json\n"
        answer = service.ingest(body, {"index": "{{to}}"}, headers).json()
        assert (answer["ingested"], answer["errors"], len(answer["partitions"])) == (1, 2, kept)


def test_a_bulk_load_keeps_to_the_allowlist_too(service: RunningService, env: str) -> None:
    headers = bearer(make_token(service, env, indexes=("app",)))
    text = "x" * 10_000
    lines = (
        encode_lines([{"to": "app" if number % 4 else "db", "text": text}])
        for number in range(2_000)
    )
    answer = service.ingest(lines, {"index": "{{to}}"}, headers).json()
    assert (answer["ingested"], answer["errors"]) == (1_500, 500)
    service.flush()
    assert service.count(env=env) == 1_500
    assert service.count(env=env, index="db") == 0


def test_keys_and_admins_keep_to_their_own_limits(service: RunningService, env: str) -> None:
    for headers in (
        make_key(service, Scope.INGEST, envs=(env,), indexes=("app",)),
        make_key(service, Scope.ADMIN, envs=(env,), indexes=("app",)),
        open_session(service, Role.ADMIN, envs=(env,), indexes=("app",)),
    ):
        assert service.ingest(BODY, headers=headers).status_code == 403
        assert service.ingest(BODY, {"env": "nowhere"}, headers).status_code == 403
        params = {"env": env, "index": "app"}
        assert service.ingest(BODY, params, headers).json()["ingested"] == 2
        assert service.ingest(BODY, {"env": env}, headers).json()["errors"] == 2


@pytest.mark.parametrize("index", ["_self", "_x"])
def test_no_credential_opens_the_indexes_of_the_service(
    service: RunningService, env: str, index: str
) -> None:
    for headers in (open_session(service, Role.ADMIN), make_key(service, Scope.ADMIN)):
        params = {"env": env, "index": index}
        assert service.ingest(BODY, params, headers).status_code == 400
        body = encode_lines([{"to": index}])
        templated = service.ingest(body, {"env": env, "index": "{{to}}"}, headers)
        assert templated.json()["errors"] == 1


def test_an_idempotency_key_is_its_owners(service: RunningService, env: str) -> None:
    owners: list[dict[str, Any]] = [bearer(make_token(service, env)) for _ in range(2)]
    for headers in owners:
        for _ in range(2):
            answer = service.ingest(BODY, headers={**headers, "Idempotency-Key": "same"})
            assert answer.json()["ingested"] == 2
    service.flush()
    assert service.count(env=env) == 4


def test_a_token_whose_environment_is_gone_brings_nothing(
    service: RunningService, env: str
) -> None:
    token = make_token(service, env)
    service.client.delete(f"/api/envs/{env}", params={"name": env})
    answer = service.ingest(BODY, headers=bearer(token))
    assert answer.status_code == 400
    assert "unknown environment" in answer.json()["error"]["message"]
