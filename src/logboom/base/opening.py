"""The store at a place."""

from pathlib import Path

from logboom.base.objects import LocalObjects, ObjectStore
from logboom.base.places import Bucket


def open_objects(place: Path | Bucket, cache_dir: Path, cache_bytes: int) -> ObjectStore:
    """The store in a directory or a bucket; only a bucket needs files in `cache_dir`."""
    if isinstance(place, Path):
        return LocalObjects(place)
    # Not at the top: most stores are directories, and the library for buckets takes 4 MB.
    from logboom.base.buckets import BucketObjects, FileCache  # noqa: PLC0415

    return BucketObjects(place, FileCache(cache_dir, cache_bytes))
