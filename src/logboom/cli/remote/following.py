"""A tail of a server that survives interruptions: it resumes where it stopped and shows nothing twice."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from logboom.base.errors import Unavailable
from logboom.cli.remote.server import Remote
from logboom.cli.search_options import SearchOptions

PAUSES_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""Pauses before each retry; a successful one starts over, and after the last the tail gives up."""


class Following:
    """One tail. A message id identifies the last complete block; events received after it may be sent again."""

    def __init__(self, remote: Remote, options: SearchOptions) -> None:
        self._remote = remote
        self._options = options
        self.place = ""
        self._since: Counter[int] = Counter()
        self._failures = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            try:
                yield from self._follow()
            except Unavailable:
                if not self.place or self._failures == len(PAUSES_S):
                    raise
            # A server that shuts down ends its tails cleanly, which counts as an interruption as well.
            time.sleep(PAUSES_S[self._failures])
            self._failures += 1

    def _follow(self) -> Iterator[dict[str, Any]]:
        repeated = self._since.copy()
        for place, data in self._remote.follow(self._options, self.place):
            self._failures = 0
            key = hash(data)
            if data and repeated[key]:
                repeated[key] -= 1
                continue
            if place not in ("", self.place):
                self.place, self._since = place, Counter()
            elif data:
                self._since[key] += 1
            if data:
                yield json.loads(data)
