"""Settings: one table, flags before environment before defaults, a bad value is named."""

from pathlib import Path

import pytest
from tests.together import together

from logboom.base.errors import Invalid
from logboom.config import SETTINGS, load_settings

BAD_VALUES = {
    "port": ["", "http", "-1", "65536", "7300.5", "1e3", "80 80"],
    "flush_secs": ["", "0", "-5", "soon", "nan", "inf", "3601"],
    "flush_rows": ["0", "-1", "many", "1.5", "10000001"],
    "queue_cap": ["0", "-1", "x", "100001"],
    "sync_secs": ["0", "x", "nan"],
    "roles": ["", "ingest,", "search", "ingest query", "all"],
    "checkpoint_commits": ["0", "x"],
    "max_fields": ["9", "x", "100001"],
    "idempotency_hours": ["0", "-1", "x", "nan"],
    "idempotency_mb": ["0", "-1", "x", "1.5", "65537"],
    "source_roots": ["logs", "/var/log:logs", "~/logs"],
    "source_lease_secs": ["", "0", "-1", "x", "nan", "86401"],
    "query_timeout_secs": ["0", "x", "inf"],
    "query_max_groups": ["0", "x"],
    "memory_mb": ["0", "-1", "x", "1.5", "512m"],
    "query_memory_mb": ["0", "-1", "x", "1.5", "256mb"],
    "query_cache_mb": ["-1", "x", "1.5"],
    "control_encryption": ["", "yes", "1", "onn"],
    "http_head_secs": ["", "0", "-1", "x", "nan", "3601"],
    "http_stall_secs": ["0", "x", "inf"],
    "http_idle_secs": ["0", "1.5", "x"],
    "http_connections": ["0", "-1", "many"],
    "trusted_proxies": [
        "*",
        "proxy",
        "10.0.0.1/8",
        "10.0.0.0/33",
        "10.0.0.1,",
        "10.0.0.1 10.0.0.2",
    ],
    "allowed_hosts": ["*", "http://logs.example", "logs.example:443", "a,,b", "a b", "*.", "-a"],
    "log_level": ["", "verbose", "0"],
    "store_url": [
        "s3://",
        "s3://UPPER",
        "s3://bucket/..",
        "gopher://x",
        "not a url",
        "file://host/x",
        "/x",
        "file:x",
    ],
    "host": [""],
    "data_dir": [""],
}


def test_the_defaults_are_the_documented_ones() -> None:
    settings = load_settings({}, {})
    assert (settings.host, settings.port) == ("127.0.0.1", 7300)
    assert settings.data_dir == Path("data").absolute()
    assert settings.store_dir == settings.data_dir / "store"
    assert (settings.flush_secs, settings.flush_rows, settings.queue_cap) == (5.0, 50_000, 256)
    assert (settings.max_fields, settings.idempotency_hours) == (2_000, 24.0)
    assert (settings.query_timeout_secs, settings.query_max_groups) == (30.0, 1_000_000)
    assert settings.control_encryption == "on"
    assert settings.jwt_secret_path is None


@together(
    ("name", "value"), [(name, value) for name, values in BAD_VALUES.items() for value in values]
)
def test_a_bad_value_is_one_clear_error_that_names_the_variable(name: str, value: str) -> None:
    variable = SETTINGS[name].variable
    with pytest.raises(Invalid) as caught:
        load_settings({}, {variable: value})
    message = caught.value.message
    assert variable in message
    assert repr(value) in message
    assert "expected" in message
    assert "\n" not in message


def test_a_bad_flag_is_named_as_a_flag() -> None:
    with pytest.raises(Invalid, match=r"--port is '99999', expected 0 to 65535"):
        load_settings({"port": 99999}, {"SERVICE_PORT": "7300"})


@pytest.mark.parametrize(("name", "flag"), [("data_dir", "--data"), ("store_url", "--store")])
def test_a_flag_is_named_as_it_is_typed(name: str, flag: str) -> None:
    bad = BAD_VALUES[name][0]
    with pytest.raises(Invalid, match=rf"^{flag} is "):
        load_settings({name: bad}, {})


@pytest.mark.parametrize("name", ["tls_cert", "tls_key"])
def test_a_certificate_and_its_key_belong_together(name: str) -> None:
    with pytest.raises(Invalid, match="expected both"):
        load_settings({name: "/x.pem"}, {})
    assert load_settings({}, {}).tls_files is None
    settings = load_settings({"tls_cert": "/a.pem", "tls_key": "/a.key"}, {})
    assert settings.tls_files == (Path("/a.pem"), Path("/a.key"))


def test_flags_count_before_the_environment_before_defaults(tmp_path: Path) -> None:
    environment = {
        "SERVICE_HOST": "0.0.0.0",
        "SERVICE_PORT": "1",
        "SERVICE_DATA_DIR": "/from/environment",
        "SERVICE_STORE_URL": "file:///from/environment",
    }
    from_environment = load_settings({"host": None, "port": None}, environment)
    assert (from_environment.host, from_environment.port) == ("0.0.0.0", 1)
    assert from_environment.store_dir == Path("/from/environment")
    flags = {
        "host": "::1",
        "port": 2,
        "data_dir": tmp_path,
        "store_url": f"file://{tmp_path}/with%20blank",
    }
    from_flags = load_settings(flags, environment)
    assert (from_flags.host, from_flags.port, from_flags.data_dir) == ("::1", 2, tmp_path)
    assert from_flags.store_dir == tmp_path / "with blank"


def test_a_flag_that_is_good_hides_a_variable_that_is_not() -> None:
    assert load_settings({"port": 0}, {"SERVICE_PORT": "nonsense"}).port == 0


def test_every_setting_reaches_its_place() -> None:
    environment = {
        "SERVICE_BLOCK_FLUSH_SECS": "0.5",
        "SERVICE_BLOCK_FLUSH_ROWS": "10",
        "SERVICE_BLOCK_QUEUE_CAP": "1",
        "SERVICE_BLOCK_MAX_FIELDS": "50",
        "SERVICE_CHECKPOINT_COMMITS": "3",
        "SERVICE_IDEMPOTENCY_HOURS": "0.25",
        "SERVICE_IDEMPOTENCY_MB": "2",
        "SERVICE_CONTROL_ENCRYPTION": "OFF",
        "SERVICE_LOG_LEVEL": "Debug",
        "SERVICE_JWT_SECRET_PATH": "/secret/jwt",
    }
    settings = load_settings({}, environment)
    options = settings.store_options
    assert (options.flush_secs, options.flush_rows) == (0.5, 10)
    assert (options.max_fields, options.checkpoint_commits) == (50, 3)
    assert (options.idempotency_hours, options.idempotency_bytes) == (0.25, 2 << 20)
    assert settings.queue_cap == 1
    assert (settings.control_encryption, settings.log_level) == ("off", "debug")
    assert settings.jwt_secret_path == Path("/secret/jwt")


def test_names_are_unique_and_begin_alike() -> None:
    variables = [setting.variable for setting in SETTINGS.values()]
    assert len(set(variables)) == len(variables)
    assert all(variable.startswith("SERVICE_") for variable in variables)
    assert all(setting.meaning.endswith(".") for setting in SETTINGS.values())


def test_sources_may_read_everything_unless_roots_are_named() -> None:
    assert load_settings({}, {}).source_roots == (Path("/"),)
    settings = load_settings({}, {"SERVICE_SOURCE_ROOTS": "/var/log:/srv/logs:"})
    assert settings.source_roots == (Path("/var/log"), Path("/srv/logs"))


def test_data_secrets_and_keys_are_the_services_own_wherever_they_are() -> None:
    variables = {
        "SERVICE_STORE_URL": "file:///store",
        "SERVICE_JWT_SECRET_PATH": "/etc/jwt",
        "SERVICE_CONTROL_KEY_PATH": "/etc/control",
        "SERVICE_TLS_CERT": "/etc/cert",
        "SERVICE_TLS_KEY": "/etc/key",
    }
    own = load_settings({"data_dir": "/data"}, variables).own_places
    assert set(map(str, own)) == {
        *("/data", "/store", "/etc/jwt", "/etc/control", "/etc/control.new", "/etc/control.old"),
        "/etc/key",
    }
    assert Path("/data") in load_settings({"data_dir": "/data"}, {}).own_places


MB = 1 << 20


@pytest.mark.parametrize(
    ("memory_mb", "query_mb", "cache_mb", "ingest_mb", "reader_mb"),
    [
        (64_000, 256, 160, 192, 64),
        (1_120, 256, 160, 192, 64),
        (512, 64, 38, 48, 16),
        (256, 16, 8, 16, 8),
        (1, 16, 8, 16, 8),
    ],
)
def test_memory_is_shared_out(
    memory_mb: int, query_mb: int, cache_mb: int, ingest_mb: int, reader_mb: int
) -> None:
    settings = load_settings({}, {"SERVICE_MEMORY_MB": str(memory_mb)})
    assert settings.memory_bytes == memory_mb * MB
    assert settings.query_limits.memory_bytes // MB == query_mb
    assert settings.query_cache_bytes // MB == cache_mb
    assert settings.ingest_bodies_bytes // MB == ingest_mb
    assert settings.reader_bodies_bytes // MB == reader_mb


def test_what_is_set_is_not_shared_out() -> None:
    environment = {"SERVICE_MEMORY_MB": "300", "SERVICE_QUERY_MEMORY_MB": "500"}
    settings = load_settings({}, {**environment, "SERVICE_QUERY_CACHE_MB": "0"})
    assert settings.query_limits.memory_bytes == 500 * MB
    assert settings.query_cache_bytes == 0
