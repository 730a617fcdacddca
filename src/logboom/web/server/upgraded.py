"""A connection that was upgraded to a WebSocket. Loading this loads the library for them."""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame


class UpgradedConnection(WebSocketsSansIOProtocol):
    """uvicorn's connection, for which a refused handshake is not an error of ours.

    A client that answers no ping is cut off: it may have stopped reading, and then would never let us finish.
    """

    def discard(self, event: Frame) -> None:
        """Our sockets only send. Frames of a message without an end would otherwise be collected."""

    handle_text = handle_bytes = handle_cont = discard

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()

    def shutdown(self) -> None:
        """End without a close frame when the server stops: logcli gives up after one, but reconnects without it."""
        if self.close_sent or not self.handshake_complete:
            super().shutdown()
            return
        self.stop_keepalive()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": CloseCode.ABNORMAL_CLOSURE})
        self.transport.close()

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True
