"""Stores a rebuilt index in place of the lost one."""

import logging

import google_crc32c

from logboom.base.errors import LogboomError
from logboom.base.stores.objects import ObjectStore
from logboom.store.block.info import BlockInfo
from logboom.store.block.writer import name_index
from logboom.store.catalog.catalog import Catalog
from logboom.store.catalog.change import Change

log = logging.getLogger(__name__)


def restore_index(catalog: Catalog, objects: ObjectStore, info: BlockInfo, data: bytes) -> bool:
    """Write an index beside its block and its checksum to the log; return False if that is not possible.

    After a crash in between, the checksum in the log does not match and the index is rebuilt again.
    """
    name = name_index(info.path)
    try:
        snapshot = catalog.refresh()
        if not snapshot.is_live(info.path):
            return False
        objects.replace(name, data)
        objects.keep(name, data)
        latest = snapshot.find(info.path) or info
        update = latest._replace(index_checksum=google_crc32c.value(data))
        catalog.commit(Change(updates=(update,), operation="REBUILD INDEX"))
    except (LogboomError, OSError) as error:
        extra = {"object": name, "reason": str(error)}
        log.warning("a rebuilt index cannot be stored", extra=extra)
        return False
    return True
