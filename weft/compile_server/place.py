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

from weft.codegen.cache import digest
from weft.toolchain import toolchain_key

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIMITS = (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_CPU)
_NAMESPACES = ("mnt", "pid", "user")
_CREDENTIALS = struct.Struct("3i")  # process, user, group
_STARTING = ".starting"
_LOCK = "lock"


class NotPrivate(OSError):
    """A folder that others than the user can enter."""


def _path() -> str:
    """Where the folder is: that of the login session, or one among the temporary files."""
    session = os.environ.get("XDG_RUNTIME_DIR", "")
    with contextlib.suppress(OSError, ValueError):
        # It may be another user's: `sudo` can keep the variable, and must not leave a folder there.
        info = os.stat(session)
        if os.path.isabs(session) and stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid():
            return os.path.join(session, "weft")
    import tempfile  # with a few others, which a login session does without

    return os.path.join(tempfile.gettempdir(), f"weft-{os.geteuid()}")


@contextlib.contextmanager
def folder(*, make: bool = False) -> Iterator[int]:
    """The descriptor of the folder; NotPrivate unless it is the user's alone, OSError if there is none."""
    path = _path()
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
    descriptor = os.open(path, _FLAGS)
    try:
        info = os.fstat(descriptor)
        # A folder made in one with the bit for groups has that bit too, which gives nobody a right.
        if info.st_uid != os.geteuid() or info.st_mode & 0o777 != 0o700:
            raise NotPrivate("the folder of the compile server is accessible to other users")
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def lock(descriptor: int) -> Iterator[bool]:
    """Whether nobody else starts or ends a server just now, nor will inside of this."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(_LOCK, flags, 0o600, dir_fd=descriptor)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # somebody does, or the file system has no locks
            yield False
        else:
            yield True
    finally:
        os.close(file)


@cache
def server_name() -> str:
    """Return the name of the socket of a server that works as this process would."""
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
            # What the two of them say, which no cache key depends on.
            *(_status(path) for path in sorted(Path(__file__).parent.glob("*.py"))),
        ))  # fmt: skip
        return digest("compile server", toolchain_key(), words)[:32]
    return ""


def while_starting(name: str) -> str:
    """Return the name of the socket of a server that starts."""
    return name + _STARTING


def connect(descriptor: int, name: str) -> socket.socket | None:
    """Return a connection with the server of that name; None if there is none, or it is not the user's."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        link.setblocking(False)  # one that takes no more connections counts as none
        link.connect(_address(descriptor, name))
        if is_own(link):
            return link
    except OSError:
        pass
    link.close()
    return None


def listen(descriptor: int, name: str) -> socket.socket:
    """Return a socket of that name, in the place of any other, for a server."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=descriptor)
        listener.bind(_address(descriptor, name))
        listener.listen()
        # Not by the number of a standard stream, which a program may have closed.
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
    # A path of a socket may have 107 bytes, and could lead elsewhere by now.
    return f"/proc/self/fd/{descriptor}/{name}"
