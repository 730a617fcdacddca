"""Session tokens: which count, and that no other one does."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logboom.base.clock import NS_PER_S
from logboom.base.errors import Unauthenticated
from logboom.base.stores.local import LocalObjects
from logboom.control.access.signin.ended_sessions import MOST_OF_A_USER, EndedSessions
from logboom.control.access.signin.sessions import Sessions
from logboom.control.access.users import Role, Users
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents

SECRET = bytes(range(32, 72))
START_S = 1_700_000_000
HOURS_12_S = 12 * 3600


class World:
    """One admin, his sessions, and a clock that stands where it is put."""

    def __init__(self, root: Path) -> None:
        self.now_s = START_S
        self.documents = Documents(LocalObjects(root), PlainCipher())
        self.users = Users(self.documents, lambda: self.now_s * NS_PER_S)
        self.admin = self.users.setup("admin", "correct horse")
        self.ended = EndedSessions(self.documents, lambda: self.now_s * NS_PER_S)
        self.sessions = Sessions(SECRET, self.users, self.ended, lambda: self.now_s * NS_PER_S)

    def claims(self, **changes: Any) -> dict[str, Any]:
        """The claims of a good token, changed; a change to None leaves the claim out."""
        good = {
            "sub": self.admin.id,
            "iat": START_S,
            "exp": START_S + HOURS_12_S,
            "aud": "logboom",
            "typ": "session",
            "epoch": self.admin.session_epoch,
            "jti": "1",
        }
        return {name: value for name, value in {**good, **changes}.items() if value is not None}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("store"))


def sign(claims: dict[str, Any], secret: bytes = SECRET, algorithm: str = "HS256") -> str:
    return jwt.encode(claims, secret, algorithm)


def encode_part(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def replace_part(token: str, place: int, part: str) -> str:
    parts = token.split(".")
    parts[place] = part
    return ".".join(parts)


def test_an_issued_token_has_exactly_the_documented_claims(world: World) -> None:
    token = world.sessions.issue(world.admin)
    assert jwt.get_unverified_header(token)["alg"] == "HS256"
    claims = jwt.decode(token, options={"verify_signature": False})
    assert claims == world.claims(jti=claims["jti"])


def test_an_issued_token_names_its_user_for_twelve_hours(tmp_path: Path) -> None:
    world = World(tmp_path)
    token = world.sessions.issue(world.admin)
    for now_s in (START_S, START_S + HOURS_12_S - 1):
        world.now_s = now_s
        assert world.sessions.authenticate(token) == world.admin
    world.now_s = START_S + HOURS_12_S
    with pytest.raises(Unauthenticated):
        world.sessions.authenticate(token)


def test_two_tokens_of_a_user_differ(world: World) -> None:
    assert world.sessions.issue(world.admin) != world.sessions.issue(world.admin)


def test_the_forger_of_these_tests_can_make_a_good_token(world: World) -> None:
    assert world.sessions.authenticate(sign(world.claims())) == world.admin


FORGERIES: dict[str, Callable[[World], str]] = {
    "empty": lambda world: "",
    "garbage": lambda world: "garbage",
    "two dots": lambda world: "..",
    "not ascii": lambda world: "ä.ö.ü",
    "very long": lambda world: "a" * 60_000,
    "no signature": lambda world: sign(world.claims()).rpartition(".")[0] + ".",
    "alg none": lambda world: jwt.encode(world.claims(), "", "none"),
    "alg None in other case": lambda world: replace_part(
        sign(world.claims()), 0, encode_part(b'{"alg":"nOnE","typ":"JWT"}')
    ),
    "alg is no text": lambda world: replace_part(
        sign(world.claims()), 0, encode_part(b'{"alg":{"a":[]},"typ":"JWT"}')
    ),
    "header nested deeply": lambda world: replace_part(
        sign(world.claims()), 0, encode_part(b"[" * 2500)
    ),
    "header with a huge number": lambda world: replace_part(
        sign(world.claims()), 0, encode_part(b'{"alg":"HS256","a":1' + b"0" * 2500 + b"}")
    ),
    "HS512 with our key": lambda world: sign(world.claims(), SECRET * 2, "HS512"),
    "HS384 with our key": lambda world: sign(world.claims(), SECRET * 2, "HS384"),
    "RS256 named over our signature": lambda world: replace_part(
        sign(world.claims()), 0, encode_part(b'{"alg":"RS256","typ":"JWT"}')
    ),
    "key of another's choice": lambda world: jwt.encode(
        world.claims(), bytes(32), "HS256", headers={"kid": "../../dev/null", "jwk": {"k": ""}}
    ),
    "not yet": lambda world: sign(world.claims(nbf=START_S + 3600)),
    "an API key's form": lambda world: f"lbk_{'0' * 26}_{'a' * 43}",
    "another key": lambda world: sign(world.claims(), bytes(32)),
    "payload changed": lambda world: replace_part(
        sign(world.claims()), 1, encode_part(msgspec.json.encode(world.claims(epoch=99)))
    ),
    "payload is a list": lambda world: jwt.PyJWS().encode(b"[]", SECRET, "HS256"),
    "expired": lambda world: sign(world.claims(iat=START_S - HOURS_12_S, exp=START_S)),
    "issued in the future": lambda world: sign(world.claims(iat=START_S + 3600)),
    "other audience": lambda world: sign(world.claims(aud="other")),
    "several audiences": lambda world: sign(world.claims(aud=["logboom", "other"])),
    "other purpose": lambda world: sign(world.claims(typ="reset")),
    "unknown claim": lambda world: sign(world.claims(role="admin")),
    "unknown user": lambda world: sign(world.claims(sub="nobody")),
    "old epoch": lambda world: sign(world.claims(epoch=world.admin.session_epoch - 1)),
    "exp is text": lambda world: sign(world.claims(exp=str(START_S + 60))),
    "exp is a fraction": lambda world: sign(world.claims(exp=START_S + 60.5)),
    "epoch is true": lambda world: sign(world.claims(epoch=True)),
    **{
        f"missing {claim}": lambda world, claim=claim: sign(world.claims(**{claim: None}))  # type: ignore[misc]
        for claim in ("sub", "iat", "exp", "aud", "typ", "epoch", "jti")
    },
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_token_is_refused(world: World, forge: Callable[[World], str]) -> None:
    with pytest.raises(Unauthenticated, match="the session is not valid or has ended"):
        world.sessions.authenticate(forge(world))


def test_every_changed_character_is_refused(world: World) -> None:
    token = world.sessions.issue(world.admin)
    # The last character of 32 bytes in base64 carries two unused bits: left out.
    for offset in range(len(token) - 1):
        other = "A" if token[offset] != "A" else "B"
        with pytest.raises(Unauthenticated):
            world.sessions.authenticate(token[:offset] + other + token[offset + 1 :])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)
header_names = st.sampled_from(["alg", "typ", "kid", "crit", "b64", "jwk", "cty"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.dictionaries(header_names, json_values) | json_values,
    signature=st.binary(max_size=40),
)
def test_no_header_at_all_gets_past_or_breaks_it(
    world: World, header: Any, signature: bytes
) -> None:
    token = replace_part(sign(world.claims()), 0, encode_part(msgspec.json.encode(header)))
    with pytest.raises(Unauthenticated):
        world.sessions.authenticate(replace_part(token, 2, encode_part(signature)))


@given(token=st.text(max_size=200))
def test_any_text_is_refused(world: World, token: str) -> None:
    with pytest.raises(Unauthenticated):
        world.sessions.authenticate(token)


def test_revoking_ends_the_sessions_before_and_not_those_after(tmp_path: Path) -> None:
    world = World(tmp_path)
    old = world.sessions.issue(world.admin)
    world.users.revoke_sessions(world.admin.id)
    with pytest.raises(Unauthenticated):
        world.sessions.authenticate(old)
    admin = world.users.find(world.admin.id)
    assert admin is not None
    assert world.sessions.authenticate(world.sessions.issue(admin)) == admin


@pytest.mark.parametrize("ending", ["logout", "revoke", "disable", "expire"])
def test_a_token_that_was_used_before_ends_at_once(tmp_path: Path, ending: str) -> None:
    world = World(tmp_path)
    other = world.users.create("other", "correct horse", Role.VIEWER)
    token = world.sessions.issue(other)
    assert world.sessions.authenticate(token) == world.sessions.authenticate(token) == other
    endings: dict[str, Callable[[], object]] = {
        "logout": lambda: world.sessions.end(token),
        "revoke": lambda: world.users.revoke_sessions(other.id),
        "disable": lambda: world.users.update(other.id, {"enabled": False}),
        "expire": lambda: setattr(world, "now_s", START_S + HOURS_12_S),
    }
    endings[ending]()
    assert not is_counted(world.sessions, token)


def test_an_issued_token_is_a_standard_one(world: World) -> None:
    token = world.sessions.issue(world.admin)
    options = {"verify_exp": False, "verify_iat": False}
    claims = jwt.decode(token, SECRET, ["HS256"], audience="logboom", options=options)  # type: ignore[arg-type]
    assert claims["sub"] == world.admin.id


def test_a_session_from_a_node_that_knows_of_a_newer_epoch_counts(world: World) -> None:
    newer = sign(world.claims(epoch=world.admin.session_epoch + 1))
    assert world.sessions.authenticate(newer) == world.admin


def test_a_disabled_user_has_no_session(tmp_path: Path) -> None:
    world = World(tmp_path)
    other = world.users.create("other", "correct horse", Role.VIEWER)
    token = world.sessions.issue(other)
    # Also by a token of the epoch that comes with being disabled.
    disabled = world.users.update(other.id, {"enabled": False})
    for each in (token, world.sessions.issue(disabled)):
        with pytest.raises(Unauthenticated):
            world.sessions.authenticate(each)


def test_a_deleted_user_has_no_session(tmp_path: Path) -> None:
    world = World(tmp_path)
    other = world.users.create("other", "correct horse", Role.VIEWER)
    token = world.sessions.issue(other)
    world.users.delete(other.id)
    with pytest.raises(Unauthenticated):
        world.sessions.authenticate(token)


@pytest.mark.parametrize(
    "changes",
    [{"role": "editor"}, {"envs": ["a"]}, {"indexes": ["a"]}, {"password": "another horse"}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_change_of_rights_ends_the_sessions_on_every_node(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    world = World(tmp_path)
    other = world.users.create("other", "correct horse", Role.VIEWER)
    node_users = Users(world.documents, lambda: START_S * NS_PER_S)
    node = Sessions(SECRET, node_users, world.ended, lambda: START_S * NS_PER_S)
    token = world.sessions.issue(other)
    assert node.authenticate(token) == other
    world.users.update(other.id, changes)
    node_users.refresh()
    for each in (world.sessions, node):
        with pytest.raises(Unauthenticated):
            each.authenticate(token)


def test_a_new_secret_ends_every_session(world: World) -> None:
    token = world.sessions.issue(world.admin)
    others = Sessions(bytes(40), world.users, world.ended, lambda: START_S * NS_PER_S)
    with pytest.raises(Unauthenticated):
        others.authenticate(token)


def is_counted(sessions: Sessions, token: str) -> bool:
    try:
        sessions.authenticate(token)
    except Unauthenticated:
        return False
    return True


def test_an_ended_session_is_ended_on_every_node_and_no_other_one_is(tmp_path: Path) -> None:
    world = World(tmp_path)
    tokens = [world.sessions.issue(world.admin) for _ in range(3)]
    known = EndedSessions(world.documents, lambda: START_S * NS_PER_S)
    node = Sessions(SECRET, world.users, known, lambda: START_S * NS_PER_S)
    world.sessions.end(tokens[1])
    assert [is_counted(world.sessions, token) for token in tokens] == [True, False, True]
    known.refresh()
    assert [is_counted(node, token) for token in tokens] == [True, False, True]
    with pytest.raises(Unauthenticated):
        node.end(tokens[1])


def test_what_would_have_expired_anyway_is_forgotten(tmp_path: Path) -> None:
    world = World(tmp_path)
    for _ in range(5):
        world.sessions.end(world.sessions.issue(world.admin))
    world.now_s += HOURS_12_S
    world.sessions.end(world.sessions.issue(world.admin))
    held = world.ended._snapshot.body.expiries_s
    assert [len(own) for own in held.values()] == [1]


def test_where_there_is_no_room_to_end_one_session_all_of_the_user_end(tmp_path: Path) -> None:
    world = World(tmp_path)
    other = world.users.create("other", "correct horse", Role.VIEWER)
    kept = world.sessions.issue(other)
    token = world.sessions.issue(world.admin)
    for number in range(MOST_OF_A_USER):
        world.ended.add(world.admin.id, str(number), START_S + 1)
    world.sessions.end(world.sessions.issue(world.admin))
    assert not is_counted(world.sessions, token)
    assert is_counted(world.sessions, kept)
    assert is_counted(world.sessions, world.sessions.issue(world.users.get(world.admin.id)))
