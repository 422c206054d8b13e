"""Files of many named pieces that the installation contains: written once, read piece by piece.

An archive is valid only for the identity that it was written with. Its index is any value of the types that
`marshal` supports. Like Python's own compiled files, archives are trusted: whoever can write the folder of
the package can change its code.

Imports little: the first module of the package reads an archive.
"""

import marshal
import os
from typing import Any

Place = tuple[int, int]
"""Where a piece is: its offset and length."""

_FORMAT = b"weft archive 1\n"
_LENGTH_BYTES = 8
# What `marshal` and the unpacking of its values raise for a damaged file.
_DAMAGED = (OSError, ValueError, EOFError, TypeError)


class Archive:
    """An open archive. It is safe to use in several threads, and in forked processes."""

    def __init__(self, path: str, state: tuple[int, ...], start: int, index: Any) -> None:
        self._path = path
        self._state = state
        self._start = start
        self.index = index

    def read(self, place: Place) -> bytes | None:
        """Return a piece; None if the file has been replaced or removed since."""
        # The file is not kept open: programs close descriptors that they do not know.
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            if _state(file) != self._state:
                return None
            data = os.pread(file, place[1], self._start + place[0])
            return data if len(data) == place[1] else None
        except OSError:
            return None
        finally:
            os.close(file)

    def load(self, place: Place) -> Any:
        """Return the value in a piece that `marshal` wrote; None if it cannot be read."""
        data = self.read(place)
        try:
            return None if data is None else marshal.loads(data)
        except _DAMAGED:
            return None


def open_archive(path: str, identity: object) -> Archive | None:
    """Open an archive; return None if there is none with this identity."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        head = os.pread(file, len(_FORMAT) + 2 * _LENGTH_BYTES, 0)
        if not head.startswith(_FORMAT):
            return None
        lengths = head[len(_FORMAT) :]
        first, second = (int.from_bytes(lengths[n : n + _LENGTH_BYTES], "little") for n in (0, _LENGTH_BYTES))
        if marshal.loads(os.pread(file, first, len(head))) != identity:
            return None
        index = marshal.loads(os.pread(file, second, len(head) + first))
        return Archive(path, _state(file), len(head) + first + second, index)
    except _DAMAGED:
        return None
    finally:
        os.close(file)


def _state(file: int) -> tuple[int, ...]:
    status = os.fstat(file)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


class ArchiveWriter:
    """Collects the pieces of an archive."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._length = 0

    def add(self, data: bytes) -> Place:
        """Add a piece; return its place, for the index."""
        place = self._length, len(data)
        self._pieces.append(data)
        self._length += len(data)
        return place

    def write(self, path: str, identity: Any, index: Any) -> None:
        """Write the archive in one step, so that readers see all of it or the previous one."""
        heads = [marshal.dumps(identity), marshal.dumps(index)]
        lengths = [len(head).to_bytes(_LENGTH_BYTES, "little") for head in heads]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = f"{path}.{os.getpid()}"
        try:
            with open(temporary, "wb") as file:
                file.writelines([_FORMAT, *lengths, *heads, *self._pieces])
            os.replace(temporary, path)
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise
