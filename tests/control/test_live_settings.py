"""Settings: validated whole, merged by section, fixed by variables, and told to those who asked."""

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from logboom.base.errors import Conflict, Invalid
from logboom.base.stores.local import LocalObjects
from logboom.control.documents.cipher import PlainCipher
from logboom.control.documents.store import Documents
from logboom.control.registry.settings import VARIABLES, LiveSettings, Settings


def open_settings(root: Path, **environment: str) -> LiveSettings:
    return LiveSettings(Documents(LocalObjects(root), PlainCipher()), environment)


def test_the_defaults_are_those_of_the_specification(tmp_path: Path) -> None:
    settings = open_settings(tmp_path)
    assert settings.generation == 0
    assert settings.overrides == {}
    assert msgspec.to_builtins(settings.effective) == {
        "general": {"retention_days": None, "retention_bytes": None},
        "ingest": {
            "require_auth": False,
            "native_enabled": True,
            "compat_enabled": True,
            "push_protobuf": False,
        },
        "storage": {"block_flush_secs": 5.0, "block_flush_rows": 50_000},
        "syslog": {
            "enabled": False,
            "host": "127.0.0.1",
            "udp_port": 5514,
            "tcp_port": 5514,
            "env": "default",
            "index": "syslog",
            "source": "syslog",
            "tls_cert": "",
            "tls_key": "",
            "max_message_bytes": 65_536,
            "max_connections": 1_000,
        },
        "saml": {
            "enabled": False,
            "base_url": "",
            "sp_entity_id": "",
            "idp_entity_id": "",
            "idp_sso_url": "",
            "idp_certificates": (),
            "match": "nameid",
            "password_login": True,
        },
    }


def test_a_patch_replaces_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    settings = open_settings(tmp_path)
    settings.patch({"storage": {"block_flush_rows": 10}, "ingest": {"require_auth": True}})
    changed = settings.patch({"storage": {"block_flush_secs": 1}, "general": {}, "saml": {}})
    assert changed.storage.block_flush_rows == 10
    assert changed.storage.block_flush_secs == 1
    assert changed.ingest.require_auth
    assert changed.ingest.native_enabled
    assert open_settings(tmp_path).effective == changed


def test_retention_is_set_and_taken_away(tmp_path: Path) -> None:
    settings = open_settings(tmp_path)
    assert settings.patch({"general": {"retention_days": 7}}).general.retention_days == 7
    assert settings.patch({"general": {"retention_days": None}}).general.retention_days is None


BAD: dict[str, Any] = {
    "unknown section": {"colours": {}},
    "unknown name": {"ingest": {"colour": 1}},
    "section is no object": {"ingest": 1},
    "section is null": {"ingest": None},
    "section is a list": {"ingest": []},
    "switch is a number": {"ingest": {"require_auth": 1}},
    "switch is a text": {"ingest": {"require_auth": "true"}},
    "seconds zero": {"storage": {"block_flush_secs": 0}},
    "seconds below": {"storage": {"block_flush_secs": -1}},
    "seconds above": {"storage": {"block_flush_secs": 3600.5}},
    "seconds not a number": {"storage": {"block_flush_secs": math.nan}},
    "seconds endless": {"storage": {"block_flush_secs": math.inf}},
    "seconds as text": {"storage": {"block_flush_secs": "5"}},
    "seconds null": {"storage": {"block_flush_secs": None}},
    "rows zero": {"storage": {"block_flush_rows": 0}},
    "rows above": {"storage": {"block_flush_rows": 10_000_001}},
    "rows a fraction": {"storage": {"block_flush_rows": 1.5}},
    "days zero": {"general": {"retention_days": 0}},
    "bytes zero": {"general": {"retention_bytes": 0}},
    "days above": {"general": {"retention_days": 36_501}},
    "port zero": {"syslog": {"udp_port": 0}},
    "port above": {"syslog": {"tcp_port": 65_536}},
    "host empty": {"syslog": {"host": ""}},
    "reserved environment": {"syslog": {"env": "_system"}},
    "bad environment": {"syslog": {"env": "a b"}},
    "reserved index": {"syslog": {"index": "_self"}},
    "message size below": {"syslog": {"max_message_bytes": 479}},
    "message size above": {"syslog": {"max_message_bytes": 1_048_577}},
    "no connections": {"syslog": {"max_connections": 0}},
    "certificate without key": {"syslog": {"tls_cert": "server.pem"}},
    "key without certificate": {"syslog": {"tls_key": "server.key"}},
    "saml": {"saml": {"url": "x"}},
}


@pytest.mark.parametrize("changes", BAD.values(), ids=BAD)
def test_a_value_that_does_not_fit_is_refused_whole(tmp_path: Path, changes: Any) -> None:
    settings = open_settings(tmp_path)
    with pytest.raises(Invalid):
        settings.patch({"storage": {"block_flush_rows": 7}, **changes})
    assert (settings.generation, settings.effective) == (0, Settings())


def test_a_stale_generation_is_a_conflict(tmp_path: Path) -> None:
    here, elsewhere = open_settings(tmp_path), open_settings(tmp_path)
    elsewhere.patch({"storage": {"block_flush_rows": 7}})
    with pytest.raises(Conflict, match="settings changed in the meantime"):
        here.patch({"storage": {"block_flush_rows": 8}}, 0)
    assert here.patch({"storage": {"block_flush_secs": 8}}, 1).storage.block_flush_rows == 7


def test_variables_win_and_are_listed_and_what_is_stored_waits_below(tmp_path: Path) -> None:
    fixed = open_settings(
        tmp_path, SERVICE_BLOCK_FLUSH_SECS="0.5", SERVICE_RETENTION_DEFAULT_DAYS="30", OTHER="1"
    )
    assert fixed.overrides == {
        "storage.block_flush_secs": "SERVICE_BLOCK_FLUSH_SECS",
        "general.retention_days": "SERVICE_RETENTION_DEFAULT_DAYS",
    }
    assert fixed.effective.storage.block_flush_secs == 0.5
    assert fixed.effective.general.retention_days == 30
    changed = fixed.patch({"storage": {"block_flush_secs": 9, "block_flush_rows": 9}})
    assert (changed.storage.block_flush_secs, changed.storage.block_flush_rows) == (0.5, 9)
    assert fixed.stored.storage.block_flush_secs == 9
    assert open_settings(tmp_path).effective.storage.block_flush_secs == 9


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("text", ["0", "-1", "x", "99999999", "nan", "1e400"])
def test_a_variable_that_does_not_fit_is_named(tmp_path: Path, variable: str, text: str) -> None:
    with pytest.raises(Invalid, match=variable):
        open_settings(tmp_path, **{variable: text})


@pytest.mark.parametrize("variable", VARIABLES)
def test_an_empty_variable_fixes_nothing(tmp_path: Path, variable: str) -> None:
    settings = open_settings(tmp_path, **{variable: ""})
    assert settings.overrides == {}
    assert settings.effective == Settings()


def test_subscribers_hear_of_changes_here_and_elsewhere_and_of_nothing_else(tmp_path: Path) -> None:
    here, elsewhere = open_settings(tmp_path), open_settings(tmp_path)
    heard: list[int] = []
    here.subscribe(lambda settings: heard.append(settings.storage.block_flush_rows))
    here.refresh()
    assert heard == []
    here.patch({"storage": {"block_flush_rows": 1}})
    here.patch({"storage": {"block_flush_rows": 1}})
    assert heard == [1]
    elsewhere.patch({"storage": {"block_flush_rows": 2}})
    here.refresh()
    here.refresh()
    assert heard == [1, 2]


def test_a_fixed_value_changes_nothing_for_subscribers(tmp_path: Path) -> None:
    settings = open_settings(tmp_path, SERVICE_BLOCK_FLUSH_ROWS="5")
    heard: list[Settings] = []
    settings.subscribe(heard.append)
    settings.patch({"storage": {"block_flush_rows": 1}})
    assert heard == []
