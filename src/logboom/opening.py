"""Opens what a service consists of, as its settings say."""

import logging
import os

from logboom.base.clock import system_clock
from logboom.base.errors import Corrupt, Unavailable
from logboom.base.stores.objects import ObjectStore
from logboom.config import Settings
from logboom.control.control import Control
from logboom.control.documents.secrets import name_new_key, read_code, read_or_create_secret
from logboom.control.documents.store import FOLDER
from logboom.control.reset import reset_admin
from logboom.engine.cluster.opening import open_cluster
from logboom.engine.execution.gate import ClosedGate, Gate
from logboom.engine.execution.remote import Cluster
from logboom.store.store import Store

log = logging.getLogger(__name__)


def open_store(settings: Settings) -> ObjectStore:
    """Open the store; raises an error if it cannot be used."""
    objects = settings.open_store()
    objects.check()
    return objects


def open_control(settings: Settings, objects: ObjectStore) -> Control:
    jwt_secret = read_or_create_secret(settings.jwt_secret_file)
    code = read_code(settings.setup_code_path) if settings.setup_code_path else settings.setup_code
    key = read_control_key(settings, objects) if settings.control_encryption == "on" else None
    try:
        control = Control.open(objects, key, jwt_secret, system_clock, os.environ, code)
    except Corrupt as error:
        if not name_new_key(settings.control_key_file).exists():
            raise
        raise Unavailable(
            "a rotation of the control key was interrupted, run logboom admin rotate-key to finish it"
        ) from error
    if settings.admin_reset == "1":
        try_to_reset_admin(control, settings.admin_password)
    return control


def read_control_key(settings: Settings, objects: ObjectStore) -> bytes:
    """Return the key of the control documents; it is created only before there are any.

    With another key they would look damaged.
    """
    path = settings.control_key_file
    if not path.exists() and any(objects.list_below(FOLDER)):
        raise Unavailable(
            f"{path} with the key of the control documents is missing: restore it from a backup, or set "
            "SERVICE_CONTROL_KEY_PATH to the key of the other nodes"
        )
    return read_or_create_secret(path)


def try_to_reset_admin(control: Control, password: str) -> None:
    """Reset the admin's password; on failure, such as a full disk, the service still starts for everybody else."""
    try:
        reset_admin(control, password)
    except Unavailable as error:
        log.warning(
            "SERVICE_ADMIN_RESET is set, but the admin's password cannot be reset now",
            extra={"reason": error.message},
        )


def report_unknown_environments(control: Control, store: Store) -> None:
    """Log the environments that have events but do not exist, as after their control document was lost."""
    known = {each.name for each in control.environments.list(reserved=True)}
    unknown = [env for env in store.snapshot().envs if env not in known]
    if unknown:
        log.warning(
            "the store has events of environments that do not exist: create them to see these events",
            extra={"environments": unknown},
        )


def open_gate(settings: Settings) -> Gate:
    if "query" not in settings.roles:
        return ClosedGate()
    return Gate(settings.query_concurrency, settings.query_queue, settings.query_queue_secs)


def find_cluster(settings: Settings) -> Cluster | None:
    """Return the cluster that large queries, and merges if desired, are done on."""
    access = settings.cluster_access
    merges = settings.dask_compaction == "on" and "maintenance" in settings.roles
    if not access.address or not (merges or "query" in settings.roles):
        return None
    return open_cluster(access, settings.store_place, settings.dask_least_bytes)


def find_base_url(settings: Settings) -> str:
    """Return the URL of the pages."""
    scheme = "https" if settings.tls_files else "http"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return settings.public_url or f"{scheme}://{host}:{settings.port}"
