"""The cache of compiled code on disk: a folder of checksummed files, safe to share between processes.

An entry is `<folder>/<first two digits of the key>/<key>`: a magic word, the SHA-256 of key and data, and the
data. It is written to a temporary file and renamed into place, so a reader sees all of it or nothing. An
entry with a wrong checksum is removed and counts as absent. Reading and writing take no lock.

The size is bounded without scanning the folder at each write: every write appends one byte per 4 KiB to the
file `ledger`, whose length is the amount written by all processes since the last sweep. When that reaches an
eighth of the limit, one process sweeps: it removes the least recently used entries until seven eighths of the
limit are left.

Results that take minutes are computed by one process at a time, which holds a lock on the file `making`.

A killed writer leaves its temporary file. The time of the file `collected` records the last search for such
files; once an hour the next write removes those older than an hour.

The folder must be private to the user, because its contents are executed (`private_folder.py`). If the file
system refuses an operation (the folder is read-only, missing, full, or owned by another user), Weft silently
works without the cache.
"""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGXFSZ

from weft import settings
from weft.codegen.private_folder import (
    TEMPORARY_SUFFIX,
    NotPrivate,
    Unusable,
    discard,
    open_for_appending,
    private_folder,
    read_file,
    remove,
    subfolder,
    write_atomically,
)
from weft.dataclasses import dataclass
from weft.sha256 import sha256
from weft.signals import blocked

_MAGIC = b"weft object 1\n"
_HEADER_SIZE = len(_MAGIC) + 32
_BLOCK = 4096
_LEDGER = "ledger"
_COLLECTED = "collected"
_MAKING = "making"
_ABANDONED_SECONDS = 3600
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class CacheStats:
    """The output of `weft cache`; `state` is "on", "off", or why the folder cannot be used."""

    folder: Path | None
    entries: int
    bytes: int
    limit: int
    state: str


@dataclass(frozen=True)
class _Entry:
    path: str  # relative to the folder
    used_at: float
    bytes: int


def digest(*parts: str | bytes) -> str:
    """Return a key that depends on all parts, their order, their number and their boundaries."""
    key = sha256()
    for part in parts:
        kind, data = (b"s", part.encode(errors="surrogatepass")) if isinstance(part, str) else (b"b", part)
        key.update(kind + len(data).to_bytes(8, "little"))
        key.update(data)
    return key.hexdigest()


def default_cache() -> "Cache":
    """Return the cache that the WEFT_CACHE settings select."""
    folder: Path | None = settings.get("WEFT_CACHE_DIR") or _user_folder()
    return Cache(folder, settings.get("WEFT_CACHE_SIZE"), enabled=settings.get("WEFT_CACHE"))


def _user_folder() -> Path | None:
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification says to ignore relative paths.
    if os.path.isabs(base):
        return Path(base, "weft")
    try:
        return Path.home() / ".cache" / "weft"
    except RuntimeError:  # a user without a home directory has no cache
        return None


class Cache:
    """Data by key (from `digest`) in `folder`, at most `limit` bytes; without a folder, always empty."""

    def __init__(self, folder: Path | None, limit: int, *, enabled: bool = True) -> None:
        self.folder = folder
        self.limit = limit
        self.enabled = enabled and folder is not None and limit > 0
        self._root = os.fspath(folder) if folder is not None else ""

    def get(self, key: str) -> bytes | None:
        """Return the data stored under `key`, or None."""
        _check_key(key)
        if not self.enabled:
            return None
        try:
            with private_folder(self._root) as root:
                return self._read(root, key)
        except OSError:  # the entry does not exist or cannot be read
            return None

    def _read(self, root: int, key: str) -> bytes | None:
        try:
            with subfolder(root, key[:2]) as folder:
                try:
                    content = read_file(folder, key, _HEADER_SIZE + self.limit // 2)
                    data = content[_HEADER_SIZE:]
                    if content[:_HEADER_SIZE] == _MAGIC + _checksum(key, data):
                        return data
                except Unusable:
                    pass
                discard(folder, key)
        except NotADirectoryError:
            discard(root, key[:2])
        return None

    def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, unless the file system refuses or it would fill half the cache."""
        _check_key(key)
        if not self.enabled or len(data) > self.limit // 2:
            return
        # Weft always works without the cache.
        with contextlib.suppress(OSError), blocked(SIGXFSZ), self._writable() as root:
            self._make_room(root, _HEADER_SIZE + len(data))
            self._collect(root)
            with contextlib.suppress(FileExistsError):
                os.mkdir(key[:2], 0o700, dir_fd=root)
            with subfolder(root, key[:2]) as folder:
                write_atomically(folder, key, _MAGIC + _checksum(key, data) + data)

    def get_or_make(self, key: str, make: Callable[[], bytes]) -> bytes:
        """Return the data stored under `key`, or the result of `make` if there is none.

        For computations that take so long that other processes should wait for the result.
        """
        data = self.get(key)
        if data is not None:
            return data
        with self._making():
            data = self.get(key)
            if data is None:
                data = make()
                self.put(key, data)
        return data

    @contextlib.contextmanager
    def _making(self) -> Iterator[None]:
        """Wait until no other process is inside; without a folder, do not wait."""
        lock = -1
        if self.enabled:
            with contextlib.suppress(OSError), self._writable() as root:
                lock = open_for_appending(root, _MAKING)
        try:
            if lock >= 0:
                with contextlib.suppress(OSError):  # the file system has no locks
                    fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            if lock >= 0:
                os.close(lock)

    def clear(self) -> int:
        """Remove all entries; return their number."""
        removed = 0
        with contextlib.suppress(OSError), private_folder(self._root) as root:
            for entry in list(_entries(root, abandoned_before=float("inf"))):
                removed += remove(root, entry.path)
            for name in (_LEDGER, _COLLECTED, _MAKING):
                discard(root, name)
        return removed

    def stats(self) -> CacheStats:
        """Return the location of the cache, its size, and whether it is in use."""
        entries: list[_Entry] = []
        state = "on" if self.enabled else "off"
        if self._root:
            try:
                with private_folder(self._root) as root:
                    entries = list(_entries(root))
            except FileNotFoundError:
                pass
            except OSError as error:
                state = _objection(error) if self.enabled else state
        size = sum(entry.bytes for entry in entries)
        return CacheStats(self.folder, len(entries), size, self.limit, state)

    @contextlib.contextmanager
    def _writable(self) -> Iterator[int]:
        """Return the descriptor of the folder, which is created if necessary."""
        if not os.path.isdir(self._root):
            os.makedirs(os.path.dirname(os.path.abspath(self._root)), exist_ok=True)
            with contextlib.suppress(FileExistsError):  # another process was faster
                os.mkdir(self._root, 0o700)
        with private_folder(self._root) as root:
            yield root

    def _make_room(self, root: int, size: int) -> None:
        """Record that `size` bytes will be written, and sweep if necessary."""
        blocks = -(-size // _BLOCK)
        ledger = open_for_appending(root, _LEDGER)
        try:
            os.write(ledger, b"." * blocks)
            if os.fstat(ledger).st_size * _BLOCK <= self.limit // 8:
                return
            # A process that does not get the lock leaves the sweep to the one that has it.
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(ledger, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _sweep(root, self.limit - self.limit // 8 - blocks * _BLOCK)
                os.truncate(ledger, blocks)
        finally:
            os.close(ledger)

    def _collect(self, root: int) -> None:
        """Remove temporary files of killed writers, unless that was done within the last hour."""
        try:
            age = time.time() - os.stat(_COLLECTED, dir_fd=root, follow_symlinks=False).st_mtime
        except FileNotFoundError:
            age = 0.0
            os.close(open_for_appending(root, _COLLECTED))
        if abs(age) > _ABANDONED_SECONDS:
            os.utime(_COLLECTED, dir_fd=root, follow_symlinks=False)
            for _ in _entries(root, time.time() - _ABANDONED_SECONDS):
                pass


def _objection(error: OSError) -> str:
    """Return the message of `weft cache` about a folder that cannot be used."""
    if isinstance(error, NotADirectoryError):
        return "unusable: it is not a folder"
    return f"unusable: {error if isinstance(error, NotPrivate) else error.strerror}"


def _check_key(key: str) -> None:
    if len(key) != 64 or not _HEX.issuperset(key):
        raise ValueError(f"{key!r} is not a key made by digest()")


def _sweep(root: int, allowed: int) -> None:
    entries_found = _entries(root, abandoned_before=time.time() - _ABANDONED_SECONDS)
    entries = sorted(entries_found, key=lambda entry: entry.used_at)
    total = sum(entry.bytes for entry in entries)
    for entry in entries:
        if total <= allowed:
            break
        if remove(root, entry.path):
            total -= entry.bytes


def _entries(root: int, abandoned_before: float | None = None) -> Iterator[_Entry]:
    """Yield all entries; remove temporary files that are older than `abandoned_before`."""
    for prefix in list(_scan(root)):
        if len(prefix) != 2 or not _HEX.issuperset(prefix):
            continue
        with contextlib.suppress(OSError), subfolder(root, prefix) as folder:
            for name in _scan(folder):
                try:
                    info = os.stat(name, dir_fd=folder, follow_symlinks=False)
                except OSError:  # removed by another process in the meantime
                    continue
                if not stat.S_ISREG(info.st_mode):
                    continue
                if name.endswith(TEMPORARY_SUFFIX):
                    if abandoned_before is not None and info.st_mtime < abandoned_before:
                        remove(folder, name)
                elif name.startswith(prefix) and _HEX.issuperset(name):
                    yield _Entry(f"{prefix}/{name}", info.st_mtime, -(-info.st_size // _BLOCK) * _BLOCK)


def _checksum(key: str, data: bytes) -> bytes:
    checksum = sha256(key.encode())
    checksum.update(data)
    return checksum.digest()


def _scan(folder: int) -> list[str]:
    """Return the names in a folder."""
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]
