"""Opens a store."""

from importlib.util import find_spec
from pathlib import Path

from logboom.base.errors import Unavailable
from logboom.base.stores.local import LocalObjects
from logboom.base.stores.objects import ObjectStore
from logboom.base.stores.places import Bucket


def open_objects(place: Path | Bucket, cache_dir: Path, cache_bytes: int) -> ObjectStore:
    """Open the store in a directory or a bucket; a bucket needs `cache_dir` for files, and the extra `logboom[s3]`."""
    if isinstance(place, Path):
        return LocalObjects(place)
    if find_spec("obstore") is None:
        raise Unavailable("a store in a bucket needs an extra: pip install 'logboom[s3]'")
    # Imported here because most stores are directories, and the library for buckets is an extra.
    from logboom.base.stores.bucket import BucketObjects  # noqa: PLC0415
    from logboom.base.stores.files import FileCache  # noqa: PLC0415
    from logboom.base.stores.sparse import SparseFiles  # noqa: PLC0415

    # Half of the cache is for whole objects, half for parts of others.
    files = FileCache(cache_dir, cache_bytes // 2)
    return BucketObjects(place, files, SparseFiles(cache_dir / "parts", cache_bytes // 2))
