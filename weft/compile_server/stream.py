"""A connection for messages, whose reads and writes have a time limit."""

import select
import socket
import time

from weft.limits import Idleness

# A process that compiles uses processor time continuously, itself or in child processes.
IDLE_SECONDS = 20.0


class Stream:
    """A non-blocking socket.

    Waiting ends with TimeoutError at `end` (of time.monotonic()), or when the process `watched` has been idle
    for IDLE_SECONDS, because it is stopped or deadlocked.
    """

    def __init__(self, link: socket.socket) -> None:
        link.setblocking(False)
        self._link = link
        self.end = float("inf")
        self.watched = 0

    def read(self, length: int, /) -> bytes:
        """Wait for data and return up to `length` bytes; none at the end."""
        while True:
            try:
                return self._link.recv(length)
            except BlockingIOError:
                self._wait(select.POLLIN)

    def write(self, data: memoryview, /) -> int:
        """Write some of the bytes and return their number."""
        while True:
            try:
                # The host program must not be ended by SIGPIPE, which it may not ignore.
                return self._link.send(data, socket.MSG_NOSIGNAL)
            except BlockingIOError:
                self._wait(select.POLLOUT)

    def flush(self) -> None:
        """Do nothing: writes are not buffered."""

    def _wait(self, event: int) -> None:
        poll = select.poll()
        poll.register(self._link, event)
        idleness: Idleness | None = None
        while (left := self.end - time.monotonic()) > 0:
            if poll.poll(1000 * min(left, IDLE_SECONDS / 8)):
                return
            if self.watched and idleness is None:
                idleness = Idleness(self.watched, IDLE_SECONDS)
            elif idleness is not None and idleness.is_reached():
                break
        raise TimeoutError
