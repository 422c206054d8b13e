"""A folder that only its user can access, checked and used through one descriptor.

A path may change between check and use. So the folder is opened first, its owner and mode are read from the
descriptor, and everything in it is accessed relative to that descriptor, without following links. Files are
opened without blocking (a FIFO would wait for a writer) and read only if they are regular and not too large.
"""

import contextlib
import os
import stat
from collections.abc import Iterator

TEMPORARY_SUFFIX = ".tmp"

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK | os.O_CLOEXEC
_FILE_FLAGS = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class NotPrivate(OSError):
    """A folder whose contents others could have written."""


class Unusable(Exception):
    """The name does not refer to a regular file of allowed size."""


@contextlib.contextmanager
def private_folder(path: str) -> Iterator[int]:
    """Yield the descriptor of the folder at `path`.

    Raises NotPrivate if others may write to it, OSError if it is no folder. Links on the way to it are
    followed: users may keep their caches anywhere.
    """
    with _opened(os.open(path, _FOLDER_FLAGS)) as descriptor:
        yield descriptor


@contextlib.contextmanager
def subfolder(folder: int, name: str) -> Iterator[int]:
    """Yield the descriptor of a folder in a private folder; NotADirectoryError if it is something else."""
    with _opened(os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=folder)) as descriptor:
        yield descriptor


@contextlib.contextmanager
def _opened(descriptor: int) -> Iterator[int]:
    try:
        _check(os.fstat(descriptor))
        yield descriptor
    finally:
        os.close(descriptor)


def _check(info: os.stat_result) -> None:
    """Raise NotPrivate if the contents of a folder with this owner and mode must not be executed."""
    if info.st_uid != os.geteuid():
        raise NotPrivate("the folder belongs to another user")
    if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise NotPrivate("other users may write to the folder")


def read_file(folder: int, name: str, most: int) -> bytes:
    """Return the contents of a regular file of at most `most` bytes, and mark it as used.

    Raises Unusable if it is something else or larger, OSError if it does not exist or cannot be read.
    """
    try:
        descriptor = os.open(name, os.O_RDONLY | _FILE_FLAGS, dir_fd=folder)
    except OSError as error:
        if _is_regular(folder, name):
            raise
        raise Unusable from error
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or info.st_size > most:
            raise Unusable
        pieces = []
        left = info.st_size
        while left and (piece := os.read(descriptor, left)):
            pieces.append(piece)
            left -= len(piece)
        with contextlib.suppress(OSError):  # a read-only file can still be read
            os.utime(descriptor)
    finally:
        os.close(descriptor)
    return b"".join(pieces)


def _is_regular(folder: int, name: str) -> bool:
    """Return whether the name belongs to a regular file or to nothing: sockets and links cannot be opened."""
    try:
        info = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return True
    return stat.S_ISREG(info.st_mode)


def open_for_appending(folder: int, name: str) -> int:
    """Return the descriptor of a regular file, which is created if necessary, replacing anything else."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _FILE_FLAGS
    for last in (False, True):
        try:
            descriptor = os.open(name, flags, 0o600, dir_fd=folder)
        except OSError:
            if last or _is_regular(folder, name):
                raise
        else:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return descriptor
            os.close(descriptor)
        discard(folder, name)
    raise FileExistsError(name)


def write_atomically(folder: int, name: str, content: bytes) -> None:
    """Store a file under a name in one step."""
    temporary = f"{name}.{os.getpid()}.{os.urandom(4).hex()}{TEMPORARY_SUFFIX}"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE_FLAGS, 0o600, dir_fd=folder)
    try:
        with open(file, "wb", buffering=0) as stream:
            rest = memoryview(content)
            while rest:
                rest = rest[stream.write(rest) :]
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        remove(folder, temporary)
        raise


def remove(folder: int, path: str) -> bool:
    """Remove a file; return False if it is gone or cannot be removed."""
    try:
        os.unlink(path, dir_fd=folder)
    except OSError:
        return False
    return True


def discard(folder: int, path: str) -> None:
    """Remove whatever has that name, even a folder in the place of a file."""
    if remove(folder, path):
        return
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode):
            # Imported late: the import takes as long as a hundred look-ups, and is rarely needed.
            import shutil

            shutil.rmtree(path, ignore_errors=True, dir_fd=folder)
