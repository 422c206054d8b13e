"""A connection for messages, whose reads and writes have a time limit."""

import select
import socket
import time

from weft.limits import Idleness

# A process that compiles uses the processor all the time, or has others do so.
IDLE_SECONDS = 20.0


class Stream:
    """A socket that does not block.

    Waiting ends with TimeoutError at `end`, by time.monotonic(), and when the process `watched` has done
    nothing for IDLE_SECONDS: it is stopped, or waits for what never comes.
    """

    def __init__(self, link: socket.socket) -> None:
        link.setblocking(False)
        self._link = link
        self.end = float("inf")
        self.watched = 0

    def read(self, length: int, /) -> bytes:
        """Up to so many bytes, when there are some; none at the end."""
        while True:
            try:
                return self._link.recv(length)
            except BlockingIOError:
                self._wait(select.POLLIN)

    def write(self, data: memoryview, /) -> int:
        """Take some of the bytes, and tell how many."""
        while True:
            try:
                # A host program may not ignore SIGPIPE, and must not die of it.
                return self._link.send(data, socket.MSG_NOSIGNAL)
            except BlockingIOError:
                self._wait(select.POLLOUT)

    def flush(self) -> None:
        """Nothing is kept back."""

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
