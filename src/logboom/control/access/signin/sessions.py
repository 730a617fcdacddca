"""Sessions: signed tokens (JWT) of signed-in users, valid for twelve hours or until revoked."""

import hmac
import uuid
from functools import lru_cache
from typing import Final, Literal

import msgspec

from logboom.base.clock import NS_PER_S, Clock
from logboom.base.errors import Conflict, Unauthenticated
from logboom.control.access.signin.ended_sessions import EndedSessions
from logboom.control.access.users import User, Users

ALGORITHM = "HS256"
AUDIENCE: Final = "logboom"
SESSION_S = 12 * 3600
CLOCK_SKEW_S = 60
LONGEST_TOKEN = 4096
REMEMBERED_TOKENS = 1024


class Claims(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The complete contents of a session token; times are seconds since 1970."""

    sub: str
    iat: int
    exp: int
    aud: Literal["logboom"]
    typ: Literal["session"]
    epoch: int
    jti: str


class Sessions:
    """Issues and checks session tokens; checking reads no disk."""

    def __init__(self, secret: bytes, users: Users, ended: EndedSessions, clock: Clock) -> None:
        self._secret = secret
        self._users = users
        self._ended = ended
        self._clock = clock
        # The contents of a signed token never change; whether it is still valid is checked each time.
        self._read = lru_cache(REMEMBERED_TOKENS)(self._verify)

    def derive_key(self, purpose: bytes) -> bytes:
        """Return a key for another purpose: the same on every node, and useless for signing sessions."""
        return hmac.digest(self._secret, purpose, "sha256")

    def issue(self, user: User, until_s: int | None = None) -> str:
        """Return a new session, which ends after twelve hours or when it is ended earlier."""
        now_s = self._clock() // NS_PER_S
        last_s = now_s + SESSION_S
        claims = Claims(
            sub=user.id,
            iat=now_s,
            exp=last_s if until_s is None else min(last_s, until_s),
            aud=AUDIENCE,
            typ="session",
            epoch=user.session_epoch,
            jti=uuid.uuid4().hex,
        )
        import jwt  # noqa: PLC0415 - takes a while to load, and a server is ready without it

        return jwt.encode(msgspec.to_builtins(claims), self._secret, ALGORITHM)

    def authenticate(self, token: str) -> User:
        """Return the user of a token; raise Unauthenticated for a token that is not valid or no longer so."""
        return self._check(self._read(token))

    def end(self, token: str) -> None:
        """End only this session of its user; all of them if there is no room to record one more."""
        claims = self._read(token)
        user = self._check(claims)
        try:
            self._ended.add(user.id, claims.jti, claims.exp)
        except Conflict:
            self._users.revoke_sessions(user.id)

    def _check(self, claims: Claims) -> User:
        now_s = self._clock() // NS_PER_S
        user = self._users.find(claims.sub)
        is_current = claims.iat - CLOCK_SKEW_S <= now_s < claims.exp
        if user is None or not user.enabled or not is_current or claims.epoch < user.session_epoch:
            raise _refused()
        if self._ended.holds(user.id, claims.jti):
            raise _refused()
        return user

    def _verify(self, token: str) -> Claims:
        if len(token) > LONGEST_TOKEN or not token.isascii():
            raise _refused()
        import jwt  # noqa: PLC0415 - as above

        try:
            payload = jwt.decode(
                token,
                self._secret,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                # The times are checked against our own clock.
                options={"verify_exp": False, "verify_iat": False},
            )
            return msgspec.convert(payload, Claims)
        except (jwt.PyJWTError, msgspec.ValidationError) as error:
            raise _refused() from error


def _refused() -> Unauthenticated:
    return Unauthenticated("the session is not valid or has ended, sign in again")
