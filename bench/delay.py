"""Simulates a distant service: a TCP relay that delays what clients send."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

CHUNK_BYTES = 1 << 20


class DelayedRelay:
    """Delays everything that a client sends, so every small request, by `delay_s`; answers are not delayed."""

    def __init__(self, upstream: int, delay_s: float) -> None:
        self._upstream = upstream
        self._delay_s = delay_s
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(
            asyncio.start_server(self._relay, "127.0.0.1", 0)
        )
        self.port: int = self._server.sockets[0].getsockname()[1]

    def run(self) -> None:
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._upstream)
        await asyncio.gather(pass_on(reader, back, self._delay_s), pass_on(there, writer, 0))


async def pass_on(
    source: asyncio.StreamReader, target: asyncio.StreamWriter, delay_s: float
) -> None:
    try:
        while data := await source.read(CHUNK_BYTES):
            if delay_s:
                await asyncio.sleep(delay_s)
            target.write(data)
            await target.drain()
    except OSError:
        pass
    finally:
        target.close()


@contextmanager
def delayed(upstream: int, delay_s: float) -> Iterator[int]:
    """Yield the port of a relay to another port."""
    relay = DelayedRelay(upstream, delay_s)
    thread = threading.Thread(target=relay.run)
    thread.start()
    try:
        yield relay.port
    finally:
        relay.stop()
        thread.join()
