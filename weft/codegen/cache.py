"""The cache of compiled code on disk: a folder of checksummed files, safe to share between processes.

An entry is `<folder>/<first two digits of the key>/<key>`: a magic word, the SHA-256 of key and data, and the
data. It is written to a temporary file and renamed into place: a reader sees all of it or nothing. One that
fails its checksum (a torn disk, a curious user) is removed and counts as absent. Reading and writing take no
lock.

The size is bounded without looking through the folder at each write: every write appends one byte per 4 KiB
to the file `ledger`, so the ledger's length tells how much was written, by all processes together, since the
last sweep. When that reaches an eighth of the limit, one process sweeps: it removes the entries unused for
longest until seven eighths of the limit are left.

The folder must belong to the user alone, because its contents are executed. Whatever the file system refuses
(the folder is read-only, missing, full, or somebody else's) means working without the cache, silently.
"""

import contextlib
import fcntl
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weft import settings

_MAGIC = b"weft object 1\n"
_HEADER_SIZE = len(_MAGIC) + 32
_BLOCK = 4096
_LEDGER = "ledger"
_TEMPORARY_SUFFIX = ".tmp"
_ABANDONED_SECONDS = 3600
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class CacheStats:
    """What `weft cache` shows; `state` is "on", "off", or why the folder cannot be used."""

    folder: Path | None
    entries: int
    bytes: int
    limit: int
    state: str


@dataclass(frozen=True)
class _Entry:
    path: str
    used_at: float
    bytes: int


def digest(*parts: str | bytes) -> str:
    """A key that differs whenever any part, their order, their number or where one ends differs."""
    key = hashlib.sha256()
    for part in parts:
        kind, data = (b"s", part.encode(errors="surrogatepass")) if isinstance(part, str) else (b"b", part)
        key.update(kind + len(data).to_bytes(8, "little"))
        key.update(data)
    return key.hexdigest()


def default_cache() -> "Cache":
    """The cache the WEFT_CACHE settings ask for."""
    folder: Path | None = settings.get("WEFT_CACHE_DIR") or _user_folder()
    return Cache(folder, settings.get("WEFT_CACHE_SIZE"), enabled=settings.get("WEFT_CACHE"))


def _user_folder() -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification wants relative paths ignored.
    if os.path.isabs(base):
        return Path(base, "weft")
    try:
        return Path.home() / ".cache" / "weft"
    except RuntimeError:  # a user without a home has no cache either
        return None


class Cache:
    """Data by key (from `digest`) in `folder`, of at most `limit` bytes; without a folder always empty."""

    def __init__(self, folder: Path | None, limit: int, *, enabled: bool = True) -> None:
        self.folder = folder
        self.limit = limit
        self.enabled = enabled and folder is not None and limit > 0
        self._root = os.fspath(folder) if folder is not None else ""

    def get(self, key: str) -> bytes | None:
        """The data stored under `key`, or None."""
        path = self._path(key)
        if not self.enabled or not self._is_private():
            return None
        try:
            with open(path, "rb", buffering=0) as file:
                content = file.readall()
        except IsADirectoryError:
            _discard(path)
            return None
        except OSError:  # there is no such entry, or no way to read it
            return None
        data = content[_HEADER_SIZE:]
        if content[:_HEADER_SIZE] != _MAGIC + _checksum(key, data):
            _discard(path)
            return None
        with contextlib.suppress(OSError):  # a cache that cannot be written to can still be read
            os.utime(path)
        return data

    def put(self, key: str, data: bytes) -> None:
        """Stores `data` under `key`, unless the file system refuses or it would fill half the cache."""
        path = self._path(key)
        if not self.enabled or len(data) > self.limit // 2:
            return
        with contextlib.suppress(OSError):  # working without the cache is always possible
            if self._make_private_folder():
                self._make_room(_HEADER_SIZE + len(data))
                _write_atomically(path, _MAGIC + _checksum(key, data) + data)

    def clear(self) -> int:
        """Removes all entries; the number of them."""
        removed = 0
        if self._is_private():
            for entry in list(self._entries(abandoned_before=float("inf"))):
                removed += _remove(entry.path)
            _discard(os.path.join(self._root, _LEDGER))
        return removed

    def stats(self) -> CacheStats:
        """Where the cache is, what it holds, and whether it is in use."""
        entries = list(self._entries()) if self._is_private() else []
        size = sum(entry.bytes for entry in entries)
        return CacheStats(self.folder, len(entries), size, self.limit, self._state())

    def _state(self) -> str:
        if not self.enabled:
            return "off"
        try:
            info = os.stat(self._root)
        except FileNotFoundError:
            return "on"
        except OSError as error:
            return f"unusable: {error.strerror}"
        return _objection(info) or "on"

    def _path(self, key: str) -> str:
        if len(key) != 64 or not _HEX.issuperset(key):
            raise ValueError(f"{key!r} is not a key made by digest()")
        return os.path.join(self._root, key[:2], key)

    def _is_private(self) -> bool:
        try:
            return bool(self._root) and _objection(os.stat(self._root)) is None
        except OSError:
            return False

    def _make_private_folder(self) -> bool:
        if not os.path.isdir(self._root):
            os.makedirs(os.path.dirname(os.path.abspath(self._root)), exist_ok=True)
            with contextlib.suppress(FileExistsError):  # another process was faster
                os.mkdir(self._root, 0o700)
        return self._is_private()

    def _make_room(self, size: int) -> None:
        """Notes that `size` bytes will be written, and sweeps when it is time."""
        blocks = -(-size // _BLOCK)
        ledger = os.open(os.path.join(self._root, _LEDGER), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(ledger, b"." * blocks)
            if os.fstat(ledger).st_size * _BLOCK <= self.limit // 8:
                return
            # Whoever does not get the lock leaves the sweep to the one who has it.
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(ledger, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._sweep(self.limit - self.limit // 8 - blocks * _BLOCK)
                os.truncate(ledger, blocks)
        finally:
            os.close(ledger)

    def _sweep(self, allowed: int) -> None:
        entries = sorted(
            self._entries(abandoned_before=time.time() - _ABANDONED_SECONDS), key=lambda entry: entry.used_at
        )
        total = sum(entry.bytes for entry in entries)
        for entry in entries:
            if total <= allowed:
                break
            if _remove(entry.path):
                total -= entry.bytes

    def _entries(self, abandoned_before: float | None = None) -> Iterator[_Entry]:
        """All entries; temporary files of processes that died before a given time are removed on the way."""
        for prefix in _scan(self._root):
            if len(prefix.name) != 2 or not _HEX.issuperset(prefix.name):
                continue
            for file in _scan(prefix.path):
                try:
                    info = file.stat(follow_symlinks=False)
                except OSError:  # removed meanwhile by another process
                    continue
                if not stat.S_ISREG(info.st_mode):
                    continue
                if file.name.endswith(_TEMPORARY_SUFFIX):
                    if abandoned_before is not None and info.st_mtime < abandoned_before:
                        _remove(file.path)
                elif file.name.startswith(prefix.name) and _HEX.issuperset(file.name):
                    yield _Entry(file.path, info.st_mtime, -(-info.st_size // _BLOCK) * _BLOCK)


def _objection(info: os.stat_result) -> str | None:
    """Why code in a folder with this owner and these permissions must not be trusted, or None."""
    if not stat.S_ISDIR(info.st_mode):
        return "unusable: it is not a folder"
    if info.st_uid != os.geteuid():
        return "unusable: the folder belongs to another user"
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "unusable: others may write to the folder"
    return None


def _checksum(key: str, data: bytes) -> bytes:
    checksum = hashlib.sha256(key.encode())
    checksum.update(data)
    return checksum.digest()


def _write_atomically(path: str, content: bytes) -> None:
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}{_TEMPORARY_SUFFIX}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        file = os.open(temporary, flags, 0o600)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.mkdir(os.path.dirname(path), 0o700)
        file = os.open(temporary, flags, 0o600)
    try:
        with open(file, "wb", buffering=0) as stream:
            rest = memoryview(content)
            while rest:
                rest = rest[stream.write(rest) :]
        os.replace(temporary, path)
    except BaseException:
        _remove(temporary)
        raise


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:  # somebody else removed it, or it cannot be removed: either way it is left alone
        return False
    return True


def _discard(path: str) -> None:
    """Removes whatever is at `path`, even a folder in the place of a file."""
    if not _remove(path) and os.path.isdir(path):
        # Not imported at the start: it takes as long as a hundred look-ups, for what almost never happens.
        import shutil

        shutil.rmtree(path, ignore_errors=True)


def _scan(folder: str) -> "Iterator[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:  # removed meanwhile, or not a folder
        return
