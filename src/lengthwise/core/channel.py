"""Messages between two processes: plain data as JSON, each with its length in front."""

import json
import socket
import time
from typing import Any

MOST_BYTES = 1 << 26
"""Longest message; who announces more has lost its mind."""
_CHUNK = 1 << 16
_HEAD = 4


class LateError(Exception):
    """Nothing came in time."""


class GoneError(Exception):
    """The other side has ended."""


class Channel:
    """One end of a pair of sockets.

    Example:
        >>> one, two = map(Channel, socket.socketpair())
        >>> one.send({"words": ["ab"]})
        >>> two.receive(1.0)
        {'words': ['ab']}
        >>> one.close(), two.close()
        (None, None)
    """

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        self._buffer = bytearray()
        self._start = 0

    def send(self, message: Any, seconds: float | None = None) -> None:
        """Send plain data; ``LateError`` when the other side does not take it in time."""
        text = json.dumps(message).encode()
        try:
            self._wait_at_most(seconds)
            self.socket.sendall(len(text).to_bytes(_HEAD, "big") + text)
        except TimeoutError:
            raise LateError from None
        except OSError:
            raise GoneError from None

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next message; ``LateError`` or ``GoneError`` when there is none."""
        until = None if seconds is None else time.monotonic() + seconds
        while (text := self._take()) is None:
            left = None if until is None else max(0.0, until - time.monotonic())
            self._fill(left)
        return json.loads(text)

    def close(self) -> None:
        """Close this end."""
        self.socket.close()

    def _take(self) -> bytes | None:
        """Return a message that has arrived completely."""
        body = self._start + _HEAD
        if len(self._buffer) < body:
            return None
        size = int.from_bytes(self._buffer[self._start : body], "big")
        if size > MOST_BYTES:
            raise GoneError
        if len(self._buffer) < body + size:
            return None
        self._start = body + size
        return bytes(self._buffer[body : self._start])

    def _fill(self, seconds: float | None) -> None:
        del self._buffer[: self._start]
        self._start = 0
        try:
            self._wait_at_most(seconds)
            chunk = self.socket.recv(_CHUNK)
        except TimeoutError:
            raise LateError from None
        except OSError:
            raise GoneError from None
        if not chunk:
            raise GoneError
        self._buffer += chunk

    def _wait_at_most(self, seconds: float | None) -> None:
        """Set the patience; 0 would mean not to wait at all."""
        self.socket.settimeout(None if seconds is None else max(0.001, seconds))
