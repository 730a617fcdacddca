"""The audit log: changes of the control plane, sign-ins and tool calls, as events of the self-log."""

import logging
from typing import Literal, get_args

from logboom.control.access.principal import Principal

log = logging.getLogger("logboom.audit")

LONGEST_TARGET = 200

Action = Literal[
    "setup",
    "login",
    "login_failed",
    "login_throttled",
    "logout",
    "user.create",
    "user.update",
    "user.delete",
    "key.create",
    "key.update",
    "key.delete",
    "token.create",
    "token.update",
    "token.delete",
    "env.create",
    "env.update",
    "env.delete",
    "settings.update",
    "gc",
    "compact",
    "samples.load",
    "lookup.update",
    "lookup.delete",
    "query.create",
    "query.update",
    "query.delete",
    "dashboard.create",
    "dashboard.update",
    "dashboard.delete",
    "alert.create",
    "alert.update",
    "alert.delete",
    "channel.create",
    "channel.update",
    "channel.delete",
    "channel.test",
    "link.create",
    "source.create",
    "source.update",
    "source.delete",
    "source.run",
    "source.reset",
    "mcp.call",
    "admin_reset",
    "key_rotated",
]
ACTIONS: frozenset[str] = frozenset(get_args(Action))


class Audit:
    """Records who did what; callers never pass a secret."""

    def record(
        self,
        action: Action,
        principal: Principal,
        target: str,
        outcome: str = "ok",
        *,
        address: str = "",
        **details: object,
    ) -> None:
        """Record an action; `address` is the client's, and `details` cannot collide with the fields of the event."""
        assert action in ACTIONS
        fields: dict[str, object] = {
            "event": "audit",
            "action": action,
            "actor": principal.name,
            "actor_kind": principal.kind,
            "target": target[:LONGEST_TARGET],
            "outcome": outcome,
            "address": address,
        }
        if details:
            fields["details"] = details
        log.info("audit", extra=fields)
