"""Locks that are released in the child of a `fork`.

`fork` copies the memory of a process, but only the calling thread. A lock that another thread holds at that
moment would stay locked in the child forever. Weft has threads, so this affects even single-threaded
programs. The data that such a lock guards must be consistent at any time: it may change only in steps that
Python does not interrupt.
"""

import os
from threading import Lock, RLock
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from _thread import RLock as ReentrantLock

loading = RLock()
"""Held while the compiler or LLVM is loaded, and by `codegen/binding.py` while the process forks.

The child would wait forever for modules that another thread is importing. It is reentrant, because a signal
handler may fork while its own thread loads something.
"""

_locks: "WeakSet[Lock | ReentrantLock]" = WeakSet()


def new_lock() -> Lock:
    """Create a lock that is released in a forked child, whichever thread held it in the parent."""
    lock = Lock()
    _locks.add(lock)
    return lock


def new_reentrant_lock() -> "ReentrantLock":
    """Like `new_lock`, for data that a signal handler may use while its own thread holds the lock."""
    lock = RLock()
    _locks.add(lock)
    return lock


def _open_all() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # type: ignore[union-attr]


os.register_at_fork(after_in_child=_open_all)
