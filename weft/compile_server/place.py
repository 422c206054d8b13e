"""The location of the compile server: a socket in a folder that only the user can access.

The name of the socket encodes everything that a program and its server must agree on: the version and files
of Weft, its tools and the processor (`toolchain_key`), the interpreter, and the system limits of processes
(namespaces, control group, scheduling, memory), because a server inherits those of the program that started
it. While a server starts, its socket has another name, so that no program waits for it unnecessarily.

The folder is used through its descriptor, as in `codegen/private_folder.py`, so that the checked folder is
the one used.
"""

import contextlib
import fcntl
import os
import resource
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from signal import SIGXFSZ

from weft.codegen.cache import digest
from weft.signals import blocked
from weft.toolchain import toolchain_key

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_CPU)
_NAMESPACES = ("mnt", "pid", "user")
_CREDENTIALS = struct.Struct("3i")  # process, user, group
_STARTING = ".starting"
_LOCK = "lock"


class NotPrivate(OSError):
    """The folder is accessible to other users."""


def _path() -> str:
    """Return the path of the folder: in that of the login session, or in that of temporary files."""
    session = os.environ.get("XDG_RUNTIME_DIR", "")
    with contextlib.suppress(OSError, ValueError):
        # That folder may be another user's, as `sudo` can keep the variable. Nothing must be created there.
        info = os.stat(session)
        if os.path.isabs(session) and stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid():
            return os.path.join(session, "weft")
    import tempfile  # imports other modules; not needed in a login session

    with blocked(SIGXFSZ):  # it writes to a file
        return os.path.join(tempfile.gettempdir(), f"weft-{os.geteuid()}")


@contextlib.contextmanager
def folder(*, make: bool = False) -> Iterator[int]:
    """Yield a descriptor of the folder; NotPrivate if others can access it, OSError if there is none."""
    path = _path()
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
    descriptor = os.open(path, _FLAGS)
    try:
        info = os.fstat(descriptor)
        # The setgid bit, which a folder inherits from its parent, is ignored: it gives no access.
        if info.st_uid != os.geteuid() or info.st_mode & 0o777 != 0o700:
            raise NotPrivate("the folder of the compile server is accessible to other users")
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def lock(descriptor: int) -> Iterator[bool]:
    """Lock the start and end of servers; yield whether the lock was acquired."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(_LOCK, flags, 0o600, dir_fd=descriptor)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another process holds it, or the file system has no locks
            yield False
        else:
            yield True
    finally:
        os.close(file)


@cache
def server_name() -> str:
    """Return the name of the socket of a server whose results equal those of this process."""
    with contextlib.suppress(OSError):
        places = [os.stat("/"), *(os.stat(f"/proc/self/ns/{space}") for space in _NAMESPACES)]
        limits = [resource.getrlimit(limit) for limit in _LIMITS]
        words = repr((
            *((place.st_dev, place.st_ino) for place in places),
            *limits,
            os.getpriority(os.PRIO_PROCESS, 0),
            os.sched_getscheduler(0),
            Path("/proc/self/cgroup").read_bytes(),
            os.path.realpath(sys.prefix),
            sys.version,
            os.path.realpath(__file__),
            # The files of the protocol, which are not part of cache keys.
            *(_status(path) for path in sorted(Path(__file__).parent.glob("*.py"))),
        ))  # fmt: skip
        return digest("compile server", toolchain_key(), words)[:32]
    return ""


def while_starting(name: str) -> str:
    """Return the name of the socket while the server is starting."""
    return name + _STARTING


def connect(descriptor: int, name: str) -> socket.socket | None:
    """Return a connection with the server of that name; None if there is none, or it is not the user's."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.setblocking(False)  # a server that accepts no more connections counts as none
        link.connect(_address(descriptor, name))
        if is_own(link):
            return link
    except OSError:
        pass
    link.close()
    return None


def listen(descriptor: int, name: str) -> socket.socket:
    """Create a listening socket for a server; it replaces a socket of the same name."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=descriptor)
        listener.bind(_address(descriptor, name))
        listener.listen()
        # Not a standard descriptor, which the program may have closed.
        return socket.socket(fileno=fcntl.fcntl(listener, fcntl.F_DUPFD_CLOEXEC, 3))
    finally:
        listener.close()


def is_own(link: socket.socket) -> bool:
    """Whether a process of the same user is at the other end."""
    said = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(said)[1] == os.geteuid())


def _status(path: Path) -> tuple[str, int, int]:
    info = path.stat()
    return path.name, info.st_size, info.st_mtime_ns


def _address(descriptor: int, name: str) -> str:
    # Not the path of the folder: that of a socket has at most 107 bytes, and the folder may be another now.
    return f"/proc/self/fd/{descriptor}/{name}"
